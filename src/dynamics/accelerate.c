// SPDX-License-Identifier: BSD-3-Clause
// Accelerations by the formulation of the data; inverse dynamics; residual of the equations of motion.
//
//   c = ID(q, v, 0, wrenches),   r = Q - c,   M a + J'lambda = r,   J a = gamma
//
// After a solve, the residual J a - gamma is checked, and the rank test is repeated with other settings if rows fail.
#include "dynamics/rank/acceleration_residual.h"
#include "dynamics/rank/residual_tolerance.h"

#include "core/check_arguments.h"
#include "math/finite.h"
#include "math/norm_inf.h"

#include <cardan/assemble.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

int         cardan_formulation_count(void) { return cd_formulation_count(); }
static bool is_formulation(int i) { return cd_is_index(i, cd_formulation_count()); }

const char* cardan_formulation_name(int i)
{
    return is_formulation(i) ? cd_formulation_at(i)->name : i == CARDAN_FORMULATION_AUTO ? "auto" : NULL;
}
const char* cardan_formulation_summary(int i) { return is_formulation(i) ? cd_formulation_at(i)->summary : NULL; }
const char* cardan_formulation_citation(int i) { return is_formulation(i) ? cd_formulation_at(i)->citation : NULL; }
bool        cardan_formulation_is_reference(int i)
{
    return is_formulation(i) && cd_formulation_at(i)->properties & CD_REFERENCE_IMPLEMENTATION;
}
bool cardan_formulation_is_exact(int i)
{
    return is_formulation(i) && !(cd_formulation_at(i)->properties & CD_APPROXIMATE);
}
cardan_tree_policy cardan_formulation_tree_policy(int i)
{
    return is_formulation(i) ? cd_formulation_at(i)->tree_policy : CARDAN_TREE_AUTO;
}

int cardan_formulation_find(const char* name)
{
    if (!name) return CARDAN_NONE;
    if (strcmp(name, "auto") == 0) return CARDAN_FORMULATION_AUTO;
    for (int i = 0; i < cd_formulation_count(); ++i)
        if (strcmp(cd_formulation_at(i)->name, name) == 0) return i;
    return CARDAN_NONE;
}

// Report an iteration that ended before the row residual was small enough.
static cardan_status fail_not_converged(cardan_data* d, cd_solve_info info, cardan_report* report)
{
    for (int i = 0; i < d->constraints.nconstraint; ++i) {
        const cd_constraint* c = &d->constraints.constraint[i];
        if (info.failed_row < c->first_row || info.failed_row >= c->first_row + c->nrow) continue;
        return cardan_fail(report, CARDAN_NOT_CONVERGED, CARDAN_CODE_SOLVE_NOT_CONVERGED, c->location,
                           "at t = %.9g s the iteration of '%s' does not satisfy %s '%s': its acceleration residual is "
                           "%.2g m/s^2 or rad/s^2; use another formulation, or check the constraints of the mechanism",
                           d->t, d->formulation->name, c->category, c->name, info.residual);
    }
    return cardan_fail(report, CARDAN_NOT_CONVERGED, CARDAN_CODE_SOLVE_NOT_CONVERGED, cardan_location_none(),
                       "at t = %g s the iteration of '%s' does not converge for '%s'", d->t, d->formulation->name,
                       d->m->view.name);
}

static cardan_status check_finite_accelerations(cardan_data* d, const double* a, cardan_report* report)
{
    const cardan_model* m = d->m;
    if (isfinite(cd_norm_inf(m->nv, a))) return CARDAN_OK;
    for (int v = 0; v < m->nv; ++v) {
        if (isfinite(a[v])) continue;
        int       local;
        const int j = cardan_model_joint_of_velocity(m, v, &local);
        return cardan_fail(report, CARDAN_NOT_FINITE, CARDAN_CODE_NOT_FINITE,
                           j < m->view.njoint ? m->view.joint[j].location : cardan_location_none(),
                           "at t = %g s the acceleration of joint '%s' (coordinate %d) is not finite", d->t,
                           m->joint[j].name, local + 1);
    }
    return CARDAN_OK;
}

// Report a failed solve: a state that is not finite, else the property of the mechanism that caused the failure.
static cardan_status fail_solve(cardan_data* d, cardan_status status, cd_solve_info info, cardan_report* report)
{
    const cardan_model* m = d->m;
    for (int j = 0; j < m->njoint; ++j)
        for (int i = 0; m->tree_range[j].q >= 0 && i < m->tree_range[j].nq; ++i)
            if (!isfinite(d->q[m->tree_range[j].q + i]))
                return cardan_fail(report, CARDAN_NOT_FINITE, CARDAN_CODE_NOT_FINITE,
                                   j < m->view.njoint ? m->view.joint[j].location : cardan_location_none(),
                                   "at t = %g s joint '%s' has no position: coordinate %d is not finite", d->t,
                                   m->joint[j].name, i + 1);
    if (status == CARDAN_SINGULAR) return cd_fail_zero_inertia(d, info.failed_velocity, report);
    if (status == CARDAN_INCONSISTENT) return cd_fail_inconsistent_constraints(d, info.failed_row, report);
    if (status == CARDAN_NOT_CONVERGED && d->constraints.nlossy > 0) return cd_fail_jammed(d, info.failed_row, report);
    if (status == CARDAN_NOT_CONVERGED) return fail_not_converged(d, info, report);
    return cardan_fail(report, status, CARDAN_CODE_SOLVE_NOT_CONVERGED, cardan_location_none(),
                       "at t = %g s '%s' finds no solution for '%s': %s", d->t, d->formulation->name, m->view.name,
                       cardan_status_text(status));
}

void cd_update_rhs(cardan_data* d)
{
    cd_update_forces(d);
    cd_inverse_dynamics(d->m, &d->k, d->v, NULL, d->has_wrenches ? d->wrench : NULL, d->bias_effort);
    for (int i = 0; i < d->m->nv; ++i) d->r[i] = d->effort[i] - d->bias_effort[i];
    d->link_wrenches_not_summed = false;
}

// Complete the policy for a factorization at the state.
static void update_policy(cardan_data* d)
{
    const bool by_geometry = d->use_sharp_rank_test && !d->near_singular && !(d->policy.pivot_floor > 0);
    if (d->policy.rank != CD_RANK_FROZEN) d->policy.rank = by_geometry ? CD_RANK_BY_GEOMETRY : CD_RANK_BY_PIVOTS;
    d->policy.violation          = d->assume_full_rank ? 0 : d->violation;
    d->policy.unscaled_violation = d->assume_full_rank ? 0 : d->unscaled_violation;
}

cardan_status cd_update_factor(cardan_data* d, cd_solve_info* info)
{
    const cd_formulation* f = d->formulation;
    if (d->factor_valid) return CARDAN_OK;
    cd_update_rows(d);
    if (d->constraints.singular_constraint != CARDAN_NONE) return CARDAN_SINGULAR;
    update_policy(d);
    const cd_problem problem = cd_problem_of(d);
    if (f->assemble) f->assemble(&problem, d->formulation_work);
    const cardan_status status = f->factor(&problem, d->formulation_work, info);
    d->factor_valid = d->has_factor = status == CARDAN_OK;
    ++d->nfactorization;
    return status;
}

cardan_status cd_solve_with_factor(cardan_data* d, const double* r, const double* gamma, double* a, double* lambda,
                                   cd_solve_info* info)
{
    const cd_problem problem = cd_problem_of(d);
    return d->formulation->solve(&problem, d->formulation_work, &(cd_right_sides){.r = r, .gamma = gamma},
                                 &(cd_solution){.a = a, .lambda = lambda}, info);
}

cardan_status cd_solve_correction(cardan_data* d, const double* s, double* dx)
{
    cd_solve_info    info    = {.failed_velocity = CARDAN_NONE, .failed_row = CARDAN_NONE};
    const cd_problem problem = cd_problem_of(d);
    return d->formulation->properties & CD_SOLVES_CORRECTION
               ? d->formulation->solve(&problem, d->formulation_work, &(cd_right_sides){.s = s},
                                       &(cd_solution){.dx = dx}, &info)
               : cd_solve_with_factor(d, d->zero_nv, s, dx, d->correction_multiplier, &info);
}

// Right-hand side of the position correction: s = -c, 0 for rotor rows.
static void set_correction_rhs(cardan_data* d)
{
    for (int i = 0; d->correction_valid && i < d->solver_rows.nrow; ++i)
        d->row_rhs[i] = i < d->rows.nrow ? -d->constraints.value[i] : 0;
}

// Solve for accelerations; also for the position correction if it is requested and the formulation offers it.
static cardan_status solve(cardan_data* d, double* a, cd_solve_info* info)
{
    const cd_formulation* f       = d->formulation;
    const cd_problem      problem = cd_problem_of(d);
    d->correction_valid           = d->want_position_correction && f->properties & CD_CORRECTION_WITH_ACCELERATIONS;
    set_correction_rhs(d);
    if (cd_uses_link_wrenches(f, d->m, &d->solver_rows) && !d->link_wrenches_not_summed) {
        cd_link_wrenches(d->m, &d->k, d->v, 0, d->m->nlink);
        d->link_wrenches_not_summed = true;
    }
    const cd_right_sides right_sides = {d->r, d->gamma, d->effort, d->has_wrenches ? d->wrench : NULL,
                                        d->correction_valid ? d->row_rhs : NULL};
    return f->solve(&problem, d->formulation_work, &right_sides, &(cd_solution){a, d->lambda, d->correction}, info);
}

// The same, with the factorization if none is valid; fused if the formulation offers that.
static cardan_status factor_and_solve(cardan_data* d, double* a, cd_solve_info* info)
{
    const cd_formulation* f = d->formulation;
    if (d->factor_valid || !f->factor_and_solve) {
        const cardan_status status = cd_update_factor(d, info);
        return status == CARDAN_OK ? solve(d, a, info) : status;
    }
    if (d->constraints.singular_constraint != CARDAN_NONE) return CARDAN_SINGULAR;
    update_policy(d);
    d->correction_valid = d->want_position_correction;
    if (d->blocked.active)
        d->solver_rows.stream = &d->blocked.row_stream;
    else
        set_correction_rhs(d);
    const cd_problem     problem     = cd_problem_of(d);
    const cd_right_sides right_sides = {.r = d->r, .gamma = d->gamma, .s = d->correction_valid ? d->row_rhs : NULL};
    const cardan_status  status =
        f->factor_and_solve(&problem, d->formulation_work, &right_sides,
                            &(cd_solution){a, d->lambda, d->correction_valid ? d->correction : NULL}, info);
    d->solver_rows.stream = NULL;
    cd_blocked_finish(d);
    d->factor_valid = d->has_factor = status != CARDAN_SINGULAR;
    ++d->nfactorization;
    return d->constraints.singular_constraint != CARDAN_NONE ? CARDAN_SINGULAR : status;
}

// Solve again with the other rank test after rows that were treated as redundant are not satisfied.
// Reason: with masses of very different size, pivots of independent rows can be so small that they count as null.
// Acceptance: all rows hold, and the accelerations grow by no more than max_acceleration_ratio; inconsistent rows would
// yield much larger ones by round-off. With a position violation, redundant rows pass a sharper pivot test as
// independent rows, but not the geometric test.
// *iteration_incomplete: the second solve ended by its iteration limit; the rows are not inconsistent either.
// Persistence: formulations with CD_GEOMETRIC_RANK_PERSISTENT keep the geometric test after it succeeded at a state on
// the constraints. Off the constraints the residual tolerance grows with the violation, so a row without a multiplier
// would pass the check and never be projected.
static const double max_acceleration_ratio = 100, relative_row_tolerance = 1e-10, satisfied_violation = 1e-12;

static bool satisfies_constraints(const cardan_data* d)
{
    return d->violation <= satisfied_violation && !(d->baumgarte_rate > 0);
}

static cardan_status retry_with_other_rank_test(cardan_data* d, double* a, cardan_status status, cd_solve_info* info,
                                                bool* iteration_incomplete)
{
    const double  size_before = cd_max(1, cd_velocity_norm_inf(d, a));
    cd_solve_info retry_info  = *info;
    if (d->near_singular || d->policy.pivot_floor > 0 || d->velocity_damping_rate > 0) return status;
    const bool was_sharp                    = d->use_sharp_rank_test;
    d->factor_valid                         = false;
    d->use_sharp_rank_test                  = !was_sharp;
    cardan_status retry_status              = factor_and_solve(d, a, &retry_info);
    d->use_sharp_rank_test                  = false;
    d->policy.rank                          = CD_RANK_BY_PIVOTS;
    info->conditioning                      = retry_info.conditioning;
    const cd_acceleration_residual residual = cd_compute_acceleration_residual(d, a, relative_row_tolerance);
    if (retry_status == CARDAN_OK && cd_relative_residual(&residual, 1) < relative_row_tolerance &&
        cd_velocity_norm_inf(d, a) <= max_acceleration_ratio * size_before) {
        d->use_sharp_rank_test =
            !was_sharp && satisfies_constraints(d) && d->formulation->properties & CD_GEOMETRIC_RANK_PERSISTENT;
        return CARDAN_OK;
    }
    if (was_sharp) return retry_status == CARDAN_OK ? status : retry_status;
    *iteration_incomplete = retry_status == CARDAN_NOT_CONVERGED;
    d->factor_valid       = false;
    retry_status          = factor_and_solve(d, a, info);
    return retry_status == CARDAN_OK ? status : retry_status;
}

// Relative row residual that is accepted near a singular configuration. A row that is dependent only at the singular
// configuration fails the general test, and iterations do not converge near it; the integrator accepts rows that hold
// to this tolerance.
static const double near_singular_row_tolerance = 1e-4;

// Check whether the rows hold with the accelerations of a solve, or of an abandoned iteration. Returns the status,
// the residual and its row. *iteration_incomplete: an iteration was still reducing the residual.
static cardan_status check_row_residuals(cardan_data* d, double* a, cardan_status status, cd_solve_info* info,
                                         cd_acceleration_residual* residual, bool* iteration_incomplete)
{
    const cd_formulation* f = d->formulation;
    if (!info->residual_checked) cd_update_gamma_scale(d);
    if (status == CARDAN_INCONSISTENT && d->rows.gamma_scale > 0) status = solve(d, a, info);
    *residual = (cd_acceleration_residual){.row = info->failed_row};
    if (status == CARDAN_OK && d->rows.nrow > 0 && !info->residual_checked)
        *residual = cd_compute_acceleration_residual(d, a, relative_row_tolerance);
    if (f->properties & CD_APPROXIMATE)
        residual->term_scale = fmax(residual->term_scale, 1); // compliant rows: absolute scale of 1
    if (cd_residual_is_significant(residual)) status = CARDAN_INCONSISTENT;
    if (residual->row != CARDAN_NONE) info->failed_row = residual->row;
    if (satisfies_constraints(d) &&
        (status == CARDAN_INCONSISTENT ||
         (cd_relative_residual(residual, 1) > cd_redundant_row_tolerance(&d->policy, relative_row_tolerance) &&
          d->policy.residual_tolerance == 0)))
        status = retry_with_other_rank_test(d, a, status, info, iteration_incomplete);
    if (status != CARDAN_INCONSISTENT) return status;
    *residual = cd_compute_acceleration_residual(d, a, relative_row_tolerance);
    if (cd_residual_is_explained(d, residual) ||
        (d->near_singular && cd_relative_residual(residual, 1) < near_singular_row_tolerance))
        return CARDAN_OK;
    return !satisfies_constraints(d) && f->properties & CD_GEOMETRIC_RANK
               ? retry_with_other_rank_test(d, a, status, info, iteration_incomplete)
               : status;
}

// Update everything a solve needs. Returns a velocity of an undetermined motion, or CARDAN_NONE.
static int update_solve_inputs(cardan_data* d)
{
    cd_clear_gear_losses(d);
    if (cd_uses_link_wrenches(d->formulation, d->m, &d->solver_rows)) {
        cd_update_link_wrenches_and_rows(d);
    } else if (!d->blocked.active) {
        cd_update_rhs(d);
        cd_update_rows(d);
    }
    return d->blocked.active ? CARDAN_NONE : cd_find_undetermined_velocity(d);
}

static cardan_status fail_undecidable_rank(const cardan_data* d, cardan_report* report)
{
    return cardan_fail(report, CARDAN_INCONSISTENT, CARDAN_CODE_UNDECIDABLE_RANK, cardan_location_none(),
                       "at t = %g s accelerations of '%s' depend on the last digits of its description: %s", d->t,
                       d->m->view.name, d->undecidable_rank_message);
}

cardan_status cardan_accelerate(cardan_data* d, double* a, double* state_rate, cardan_report* report)
{
    CD_REQUIRE_POINTER(d, "data", report);
    CD_REQUIRE_ARRAY(a, d->m->nv, "a", report);
    if (d->undecidable_rank_message) return fail_undecidable_rank(d, report);
    const cardan_model* m    = d->m;
    cd_solve_info       info = {
              .failed_velocity = update_solve_inputs(d), .failed_row = CARDAN_NONE, .conditioning = d->conditioning};
    cd_acceleration_residual residual;
    bool                     iteration_incomplete = false;
    d->reactions.limit.valid                      = false;
    if (state_rate) memcpy(state_rate, d->formula_value + 3 * m->view.nforce, (size_t)m->nstate * sizeof *state_rate);
    if (info.failed_velocity != CARDAN_NONE) return fail_solve(d, CARDAN_SINGULAR, info, report);
    cardan_status status = factor_and_solve(d, a, &info);
    if (status == CARDAN_NOT_CONVERGED && d->near_singular && info.residual_checked) status = CARDAN_OK;
    if (d->policy.rank == CD_RANK_FROZEN && (status || !info.residual_checked))
        return CARDAN_INCONSISTENT; // the caller repeats without a frozen rank
    if (!info.residual_checked || status) cd_blocked_store_rows(d);
    status            = check_row_residuals(d, a, status, &info, &residual, &iteration_incomplete);
    d->conditioning   = info.conditioning;
    d->solution_valid = status == CARDAN_OK;
    if (status == CARDAN_OK && d->constraints.nlossy > 0) status = cd_apply_gear_losses(d, a, &info);
    if (status == CARDAN_INCONSISTENT && cd_residual_is_drift(d, &residual))
        return cd_fail_drift(d, info.failed_row, report);
    if (status == CARDAN_INCONSISTENT && iteration_incomplete) status = CARDAN_NOT_CONVERGED;
    return status == CARDAN_OK ? check_finite_accelerations(d, a, report) : fail_solve(d, status, info, report);
}

cardan_status cardan_inverse_dynamics(cardan_data* d, const double* a, double* effort)
{
    CD_REQUIRE_POINTER(d, "data", NULL);
    CD_REQUIRE_ARRAY(a, d->m->nv, "a", NULL);
    CD_REQUIRE_ARRAY(effort, d->m->nv, "effort", NULL);
    const bool finite = cd_all_finite(d->m->nv, a);
    cd_update_forces(d);
    cd_inverse_dynamics(d->m, &d->k, d->v, a, d->has_wrenches ? d->wrench : NULL, effort);
    cd_add_rotor_efforts(d, a, effort);
    for (int i = 0; i < d->m->nv; ++i) effort[i] -= d->effort[i];
    return finite ? CARDAN_OK : CARDAN_BAD_USAGE;
}

cardan_status cardan_residual(cardan_data* d, const double* a, double* residual)
{
    return cardan_inverse_dynamics(d, a, residual);
}

cardan_status cardan_joint_efforts(cardan_data* d, double* effort)
{
    CD_REQUIRE_POINTER(d, "data", NULL);
    CD_REQUIRE_ARRAY(effort, d->m->nv_joint, "effort", NULL);
    cd_update_forces(d);
    if (d->m->nv_joint > 0) memcpy(effort, d->effort, (size_t)d->m->nv_joint * sizeof *effort);
    return CARDAN_OK;
}

double cardan_residual_norm(cardan_data* d, const double* a)
{
    if (!d || (!a && d->m->nv > 0)) return NAN;
    cd_update_rhs(d);
    cd_update_rows(d);
    cd_update_gamma_scale(d);
    double largest = 0, error = 0;
    cd_inverse_dynamics(d->m, &d->k, d->v, a, d->has_wrenches ? d->wrench : NULL, d->scratch_nv);
    for (int i = 0; i < d->m->nv; ++i)
        largest = fmax(largest, fmax(fabs(d->bias_effort[i]),
                                     fmax(fabs(d->effort[i]), fabs(d->scratch_nv[i] - d->bias_effort[i]))));
    cd_add_jacobian_transposed_times(d, &d->solver_rows, d->lambda, d->scratch_nv); // rotor rows included
    for (int i = 0; i < d->m->nv; ++i) error = fmax(error, fabs(d->scratch_nv[i] - d->effort[i]));
    const cd_acceleration_residual residual = cd_compute_acceleration_residual(d, a, 0);
    return fmax(largest > 0 ? error / largest : error, cd_relative_residual(&residual, 1));
}
