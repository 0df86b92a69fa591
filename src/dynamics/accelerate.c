// SPDX-License-Identifier: BSD-3-Clause
// Accelerations by the formulation of the data; inverse dynamics; the residual; how well the equations hold.
//
//   c = ID(q, v, 0, wrenches),   r = Q - c,   M a = r
#include "dynamics/row_error.h"
#include "dynamics/row_excuse.h"

#include "core/arguments.h"
#include "math/finite.h"
#include "math/largest.h"

#include <cardan/assemble.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

int         cardan_formulation_count(void) { return cd_formulation_rows(); }
static bool is_formulation(int i) { return cd_is_index(i, cd_formulation_rows()); }

const char* cardan_formulation_name(int i)
{
    return is_formulation(i) ? cd_formulation_at(i)->name : i == CARDAN_AUTO ? "auto" : NULL;
}
const char* cardan_formulation_summary(int i) { return is_formulation(i) ? cd_formulation_at(i)->summary : NULL; }
const char* cardan_formulation_reference(int i) { return is_formulation(i) ? cd_formulation_at(i)->reference : NULL; }
bool cardan_formulation_is_baseline(int i) { return is_formulation(i) && cd_formulation_at(i)->supports & CD_BASELINE; }
bool cardan_formulation_is_exact(int i) { return is_formulation(i) && !(cd_formulation_at(i)->supports & CD_ROUGH); }
cardan_tree_policy cardan_formulation_tree(int i)
{
    return is_formulation(i) ? cd_formulation_at(i)->tree : CARDAN_TREE_AUTO;
}

int cardan_formulation_find(const char* name)
{
    if (!name) return CARDAN_NONE;
    if (strcmp(name, "auto") == 0) return CARDAN_AUTO;
    for (int i = 0; i < cd_formulation_rows(); ++i)
        if (strcmp(cd_formulation_at(i)->name, name) == 0) return i;
    return CARDAN_NONE;
}

// An iteration that ended before the row held.
static cardan_status fail_iteration(cardan_data* d, cd_where where, cardan_report* report)
{
    for (int i = 0; i < d->closure.nconstraint; ++i) {
        const cd_constraint* c = &d->closure.constraint[i];
        if (where.row < c->first_row || where.row >= c->first_row + c->nrow) continue;
        return cardan_fail(report, CARDAN_NOT_CONVERGED, CARDAN_CODE_SOLVE_NOT_CONVERGED, c->place,
                           "at t = %.9g s the iteration of '%s' does not close %s '%s': accelerations there are still "
                           "%.2g m/s^2 or rad/s^2 apart; try another "
                           "formulation, or check the constraints of the mechanism",
                           d->t, d->formulation->name, c->what, c->name, where.left);
    }
    return cardan_fail(report, CARDAN_NOT_CONVERGED, CARDAN_CODE_SOLVE_NOT_CONVERGED, cardan_nowhere(),
                       "at t = %g s the iteration of '%s' does not converge for '%s'", d->t, d->formulation->name,
                       d->m->view.name);
}

static cardan_status fail_diverged(cardan_data* d, const double* a, cardan_report* report)
{
    const cardan_model* m = d->m;
    if (isfinite(cd_largest(m->nv, a))) return CARDAN_OK;
    for (int v = 0; v < m->nv; ++v) {
        if (isfinite(a[v])) continue;
        int       local;
        const int j = cardan_model_joint_of_velocity(m, v, &local);
        return cardan_fail(report, CARDAN_DIVERGED, CARDAN_CODE_NOT_FINITE,
                           j < m->view.njoint ? m->view.joint[j].place : cardan_nowhere(),
                           "at t = %g s the acceleration of joint '%s' (coordinate %d) is not finite", d->t,
                           m->joint[j].name, local + 1);
    }
    return CARDAN_OK;
}

// A solve that gave nothing: because of the state, where that is not finite, else because of the mechanism.
static cardan_status fail_solve(cardan_data* d, cardan_status status, cd_where where, cardan_report* report)
{
    const cardan_model* m = d->m;
    for (int j = 0; j < m->njoint; ++j)
        for (int i = 0; m->slot[j].q >= 0 && i < m->slot[j].nq; ++i)
            if (!isfinite(d->q[m->slot[j].q + i]))
                return cardan_fail(report, CARDAN_DIVERGED, CARDAN_CODE_NOT_FINITE,
                                   j < m->view.njoint ? m->view.joint[j].place : cardan_nowhere(),
                                   "at t = %g s joint '%s' is nowhere: coordinate %d is not finite", d->t,
                                   m->joint[j].name, i + 1);
    if (status == CARDAN_SINGULAR) return cd_fail_singular(d, where.v, report);
    if (status == CARDAN_INCONSISTENT) return cd_fail_inconsistent(d, where.row, report);
    if (status == CARDAN_NOT_CONVERGED && d->closure.nlossy > 0) return cd_fail_jammed(d, where.row, report);
    if (status == CARDAN_NOT_CONVERGED) return fail_iteration(d, where, report);
    return cardan_fail(report, status, CARDAN_CODE_SOLVE_NOT_CONVERGED, cardan_nowhere(),
                       "at t = %g s '%s' has no solution for '%s': %s", d->t, d->formulation->name, m->view.name,
                       cardan_status_text(status));
}

void cd_know_right_side(cardan_data* d)
{
    cd_know_forces(d);
    cd_inverse_dynamics(d->m, &d->k, d->v, NULL, d->pushed ? d->wrench : NULL, d->c);
    for (int i = 0; i < d->m->nv; ++i) d->r[i] = d->effort[i] - d->c[i];
    d->loads_apart = false;
}

// Part of the test for null pivots that is taken where masses of many decades make real rows weak.
static const double sharper = 1e-3;

static void sharpen(cardan_data* d) { d->system.sharp = d->keen && !d->near && !(d->system.doubt > 0) ? sharper : 0; }

cardan_status cd_know_factor(cardan_data* d, cd_where* where)
{
    const cd_formulation* f = d->formulation;
    if (d->factored) return CARDAN_OK;
    cd_know_rows(d);
    sharpen(d);
    if (d->closure.singular != CARDAN_NONE) return CARDAN_SINGULAR;
    d->system.gap        = d->firm ? 0 : d->rows.gap;
    d->system.wide       = d->firm ? 0 : d->rows.wide;
    cardan_status status = f->assemble ? f->assemble(d->m, &d->k, &d->system, d->work) : CARDAN_OK;
    if (status == CARDAN_OK) status = f->factor(d->m, &d->k, &d->system, d->work, where);
    d->factored = d->factor_held = status == CARDAN_OK;
    ++d->factors;
    return status;
}

// s: what closes the gaps.
static void take_gaps(cardan_data* d)
{
    for (int i = 0; d->dx_known && i < d->system.nrow; ++i) d->s[i] = i < d->rows.nrow ? -d->closure.value[i] : 0;
}

// And the change of positions beside, where it is wanted and comes cheap.
static cardan_status solve(cardan_data* d, double* a, cd_where* where)
{
    const cd_formulation* f = d->formulation;
    d->dx_known             = d->beside && f->solve_and_change;
    take_gaps(d);
    if (cd_takes_loads(f, d->m, &d->system) && !d->loads_apart) {
        cd_link_loads(d->m, &d->k, d->v, 0, d->m->nlink);
        d->loads_apart = true;
    }
    if (f->split) f->split(d->m, &d->k, d->work, d->effort, d->pushed ? d->wrench : NULL);
    if (!d->dx_known) return f->solve(d->m, &d->k, &d->system, d->work, d->r, d->gamma, a, d->lambda, where);
    return f->solve_and_change(d->m, &d->system, d->work, d->r, d->gamma, a, d->lambda, where, d->s, d->dx);
}

// The same with a factor that is not there yet, in one go.
static cardan_status factor_and_solve(cardan_data* d, double* a, cd_where* where)
{
    const cd_formulation* f = d->formulation;
    if (d->factored || !f->at_once) {
        const cardan_status status = cd_know_factor(d, where);
        return status == CARDAN_OK ? solve(d, a, where) : status;
    }
    if (d->closure.singular != CARDAN_NONE) return CARDAN_SINGULAR;
    sharpen(d);
    d->system.gap  = d->firm ? 0 : d->rows.gap;
    d->system.wide = d->firm ? 0 : d->rows.wide;
    d->dx_known    = d->beside;
    if (d->parts.open)
        d->system.reach = &d->parts.reach;
    else
        take_gaps(d);
    const cardan_status status = f->at_once(d->m, &d->k, &d->system, d->work, d->r, d->gamma, a, d->lambda, where,
                                            d->dx_known ? d->s : NULL, d->dx_known ? d->dx : NULL);
    d->system.reach            = NULL;
    cd_parts_finish(d);
    d->factored = d->factor_held = status != CARDAN_SINGULAR;
    ++d->factors;
    return d->closure.singular != CARDAN_NONE ? CARDAN_SINGULAR : status;
}

// Rows that got no force and do not hold: masses of many decades make real rows so weak that they are taken for null. A
// sharper test tells, as long as its accelerations are of the same size: what rounding makes of rows that contradict
// each other is larger by far. Rows that an iteration was still bringing together there do not contradict each other
// either. Where something is open, rows that repeat each other look like rows of their own to a sharper test, but not
// to geometry. Who asks that goes on so once it was right where loops are closed (CD_KEEN): beside them gaps would
// excuse rows that are missed for want of a force, and projections would leave them open.
static const double same_size = 100, holds = 1e-10, not_open = 1e-12;

static bool is_closed(const cardan_data* d) { return d->rows.gap <= not_open && !(d->pull > 0); }

static cardan_status look_sharper(cardan_data* d, double* a, cardan_status status, cd_where* where, bool* slow)
{
    const double before = cd_larger(1, cd_largest_motion(d, a));
    cd_where     there  = *where;
    if (d->near || d->system.doubt > 0 || d->drag > 0) return status;
    const bool again       = d->keen; // it was sharp already
    d->factored            = false;
    d->keen                = !again;
    cardan_status another  = factor_and_solve(d, a, &there);
    d->keen                = false;
    d->system.sharp        = 0;
    const cd_row_miss miss = cd_rows_missed(d, a, holds);
    if (another == CARDAN_OK && cd_missed(&miss, 1) < holds && cd_largest_motion(d, a) <= same_size * before) {
        d->keen = !again && is_closed(d) && d->formulation->supports & CD_KEEN;
        return CARDAN_OK;
    }
    if (again) return another == CARDAN_OK ? status : another;
    *slow       = another == CARDAN_NOT_CONVERGED;
    d->factored = false;
    another     = factor_and_solve(d, a, where);
    return another == CARDAN_OK ? status : another;
}

// A row that is null at a singular pose alone is not satisfied by the size of what is left of it. Nor do iterations
// come to an end beside one: who follows the motion there takes rows that hold.
static const double left_of_row = 1e-4;

// Whether rows hold with the accelerations that a solve has found, or has given up; what they miss, and where. *slow:
// iterations were still bringing them together.
static cardan_status judge_rows(cardan_data* d, double* a, cardan_status status, cd_where* where, cd_row_miss* miss,
                                bool* slow)
{
    const cd_formulation* f = d->formulation;
    if (!where->sure) cd_know_terms(d);
    if (status == CARDAN_INCONSISTENT && d->rows.terms > 0) status = solve(d, a, where);
    *miss = (cd_row_miss){.row = where->row};
    if (status == CARDAN_OK && d->rows.nrow > 0 && !where->sure) *miss = cd_rows_missed(d, a, holds);
    if (f->supports & CD_ROUGH) miss->terms = fmax(miss->terms, 1); // no more than that is asked of soft rows
    if (cd_contradicts(miss)) status = CARDAN_INCONSISTENT;
    if (miss->row != CARDAN_NONE) where->row = miss->row;
    if (is_closed(d) && (status == CARDAN_INCONSISTENT ||
                         (cd_missed(miss, 1) > cd_missed_part(&d->system, holds) && d->system.enough == 0)))
        status = look_sharper(d, a, status, where, slow);
    if (status != CARDAN_INCONSISTENT) return status;
    *miss = cd_rows_missed(d, a, holds);
    if (cd_is_explained(d, miss) || (d->near && cd_missed(miss, 1) < left_of_row)) return CARDAN_OK;
    return !is_closed(d) && f->supports & CD_RULES ? look_sharper(d, a, status, where, slow) : status;
}

// What a solve starts from. The velocity that nothing determines, or CARDAN_NONE.
static int gather(cardan_data* d)
{
    cd_losses_forget(d);
    if (cd_takes_loads(d->formulation, d->m, &d->system)) {
        cd_know_loads_and_rows(d);
    } else if (!d->parts.open) {
        cd_know_right_side(d);
        cd_know_rows(d);
    }
    return d->parts.open ? CARDAN_NONE : cd_undetermined(d);
}

static cardan_status fail_torn(const cardan_data* d, cardan_report* report)
{
    return cardan_fail(report, CARDAN_INCONSISTENT, CARDAN_CODE_UNDECIDABLE_RANK, cardan_nowhere(),
                       "at t = %g s accelerations of '%s' hang on the last digits of its description: %s", d->t,
                       d->m->view.name, d->torn);
}

cardan_status cardan_accelerate(cardan_data* d, double* a, double* state_rate, cardan_report* report)
{
    CD_REFUSE_NULL(d, "data", report);
    CD_REFUSE_NO_ARRAY(a, d->m->nv, "a", report);
    if (d->torn) return fail_torn(d, report);
    const cardan_model*   m     = d->m;
    const cd_formulation* f     = d->formulation;
    cd_where              where = {.v = gather(d), .row = CARDAN_NONE};
    cd_row_miss           miss;
    bool                  slow = false;
    d->reacting.given.known    = false;
    if (state_rate) memcpy(state_rate, d->rates + 3 * m->view.nforce, (size_t)m->nstate * sizeof *state_rate);
    if (where.v != CARDAN_NONE) return fail_solve(d, CARDAN_SINGULAR, where, report);
    cardan_status status = factor_and_solve(d, a, &where);
    if (status == CARDAN_NOT_CONVERGED && d->near && where.sure) status = CARDAN_OK;
    if (d->system.held && (status || !where.sure)) return CARDAN_INCONSISTENT; // who holds them asks again
    if (!where.sure || status) cd_parts_complete(d);
    status = judge_rows(d, a, status, &where, &miss, &slow);
    if (f->strength) d->strength = f->strength(m, &d->system, d->work);
    d->solved = status == CARDAN_OK;
    if (status == CARDAN_OK && d->closure.nlossy > 0) status = cd_lose(d, a, &where);
    if (status == CARDAN_INCONSISTENT && cd_is_drift(d, &miss)) return cd_fail_drifted(d, where.row, report);
    if (status == CARDAN_INCONSISTENT && slow) status = CARDAN_NOT_CONVERGED;
    return status == CARDAN_OK ? fail_diverged(d, a, report) : fail_solve(d, status, where, report);
}

cardan_status cardan_inverse(cardan_data* d, const double* a, double* effort)
{
    CD_REFUSE_NULL(d, "data", NULL);
    CD_REFUSE_NO_ARRAY(a, d->m->nv, "a", NULL);
    CD_REFUSE_NO_ARRAY(effort, d->m->nv, "effort", NULL);
    const bool finite = cd_are_finite(d->m->nv, a);
    cd_know_forces(d);
    cd_inverse_dynamics(d->m, &d->k, d->v, a, d->pushed ? d->wrench : NULL, effort);
    cd_add_rotors(d, a, effort);
    for (int i = 0; i < d->m->nv; ++i) effort[i] -= d->effort[i];
    return finite ? CARDAN_OK : CARDAN_BAD_USAGE;
}

cardan_status cardan_residual(cardan_data* d, const double* a, double* residual)
{
    return cardan_inverse(d, a, residual);
}

cardan_status cardan_joint_efforts(cardan_data* d, double* effort)
{
    CD_REFUSE_NULL(d, "data", NULL);
    CD_REFUSE_NO_ARRAY(effort, d->m->nv_all, "effort", NULL);
    cd_know_forces(d);
    if (d->m->nv_all > 0) memcpy(effort, d->effort, (size_t)d->m->nv_all * sizeof *effort);
    return CARDAN_OK;
}

double cardan_equation_error(cardan_data* d, const double* a)
{
    if (!d || (!a && d->m->nv > 0)) return NAN;
    cd_know_right_side(d);
    cd_know_rows(d);
    cd_know_terms(d);
    double largest = 0, error = 0;
    cd_inverse_dynamics(d->m, &d->k, d->v, a, d->pushed ? d->wrench : NULL, d->x);
    for (int i = 0; i < d->m->nv; ++i)
        largest = fmax(largest, fmax(fabs(d->c[i]), fmax(fabs(d->effort[i]), fabs(d->x[i] - d->c[i]))));
    cd_jacobian_transposed(d, &d->system, d->lambda, d->x); // of rotors too
    for (int i = 0; i < d->m->nv; ++i) error = fmax(error, fabs(d->x[i] - d->effort[i]));
    const cd_row_miss miss = cd_rows_missed(d, a, 0);
    return fmax(largest > 0 ? error / largest : error, cd_missed(&miss, 1));
}
