// SPDX-License-Identifier: BSD-3-Clause
// Assembly: a rough guess to a closed mechanism with consistent velocities, told where that is impossible
// (assembly_words.h).
#include "dynamics/assembly.h"
#include "core/arguments.h"
#include "dynamics/assembly_words.h"
#include "dynamics/bearing.h"
#include "dynamics/curve_branch.h"
#include "dynamics/law_breaks.h"
#include "dynamics/misfit.h"
#include "math/finite.h"
#include "math/largest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double closed = 1e-12; // in units of the rows (assembly.h): nothing to do
static const double enough = 1e-9;  // closed for all purposes: projection does the rest
static const double had    = 5e-10; // velocities; beyond that the doctor and what solves take a row for one that counts
static const double law_rounding = 1e-3; // of enough: rates of laws below this part of their size are rounding

static const double at_rest = 1e-14; // of the speed that was given

static cardan_status fail_memory(const cd_assembly* a, cardan_report* report)
{
    return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(),
                       "no memory to assemble '%s'", a->d->m->view.name);
}

// ---- the two levels

// Where exact values are in the way, the loops close once they are released.
static cardan_status tell_positions(cd_assembly* a, cardan_report* report)
{
    const size_t size = (size_t)a->d->m->nq * sizeof(double);
    cd_gap       g    = cd_widest_gap(a);
    if (!a->dense) return cd_fail_open(a, g, false, report);
    if (!report) return CARDAN_INCONSISTENT;
    double* held = malloc(size + 1);
    if (!held) return fail_memory(a, report);
    memcpy(held, a->d->q, size);
    cd_assembly_choose(a, false, true);
    const double left  = cd_assembly_close_positions(a);
    const bool   exact = cd_exact_words(a, g.c).count > 0 && left <= fmax(enough, a->rounding);
    const bool   rigid = exact && a->d->closure.ndriving == 0 && !cd_assembly_moves(a);
    if (exact) {
        memcpy(a->q, held, size);
        cd_data_set(a->d, a->d->t, a->q, a->d->v, a->d->state);
        cd_assembly_choose(a, false, false);
    }
    free(held);
    cd_assembly_residual(a, a->c);
    g                 = cd_widest_gap(a);
    const bool blamed = cd_blame(a, &g);
    if (a->d->starved) return a->d->starved = false, fail_memory(a, report);
    if (exact) return cd_fail_contradiction(a, g, blamed && rigid, report);
    const cd_constraint* first = NULL;
    const cd_names       who   = cd_pulling_drivers(a, &first);
    return first ? cd_fail_driven(a, g, who, first, report) : cd_fail_open(a, g, blamed, report);
}

static cardan_status close_positions(cd_assembly* a, cardan_report* report)
{
    cd_assembly_choose(a, false, false);
    if (cd_assembly_residual(a, a->c) <= fmax(closed, a->rounding) && cd_assembly_wished(a, NULL) <= closed)
        return CARDAN_OK;
    const double least = fmax(enough, a->rounding);
    if (!a->near && !cd_assembly_follow(a)) return fail_memory(a, report);
    double left = cd_assembly_close_positions(a);
    if (left > least && !a->near && !cd_assembly_close_far(a, &left)) return fail_memory(a, report);
    if (left > least) return tell_positions(a, report);
    cd_assembly_return(a);
    return CARDAN_OK;
}

static double fastest(const cardan_data* d)
{
    double most = 0;
    for (int i = 0; i < d->m->nv; ++i) most = fmax(most, fabs(d->v[i]));
    return most;
}

// Size of the rates of laws: a law x at its turning point has the rounding of sqrt(|x x''|) for a rate, where x is
// some radians or metres even if they cancel there.
static double rate_of_laws(const cardan_data* d)
{
    double most = 0;
    for (int i = 0; i < d->m->nmotion; ++i) {
        const double* law = d->closure.law + 3 * i;
        most              = fmax(most, fmax(fabs(law[1]), law_rounding * sqrt(fmax(1, fabs(law[0])) * fabs(law[2]))));
    }
    return most;
}

static const cd_constraint* constraint_of(const cd_closure* closure, int row)
{
    int i = 0;
    while (i + 1 < closure->nconstraint && row >= closure->constraint[i + 1].first_row) ++i;
    return &closure->constraint[i];
}

// At singular poses motions branch: velocities of one of them, and which.
static cardan_status choose_branch(cd_assembly* a, cardan_report* report)
{
    const cardan_model* m = a->d->m;
    cd_branch           branch;
    bool                moved;
    if (!cd_assembly_branch(a, &branch, &moved)) return fail_memory(a, report);
    if (!moved) return CARDAN_OK;
    const cd_constraint* c    = constraint_of(&a->d->closure, branch.row);
    const cd_names       loop = c->joint == CARDAN_NONE ? cd_felt_words(m, c) : cd_loop_words(m, c);
    if (branch.velocity == CARDAN_NONE) {
        cardan_warn(report, CARDAN_CODE_SINGULAR_START, c->place,
                    "the start is a singular pose of joints %s: velocities were changed to those of a motion that is "
                    "possible there",
                    loop.text);
        return CARDAN_OK;
    }
    int         local;
    const int   j    = cardan_model_joint_of_velocity(m, branch.velocity, &local);
    const char* unit = cardan_model_v_unit(m, j, local);
    cardan_warn(report, CARDAN_CODE_BRANCH_CHOSEN, c->place,
                "the start is a singular pose of joints %s, where motions branch: the one nearest to what is given was "
                "taken, with %.6g %s at joint '%s'; another has %.12g %s "
                "there: give it as `start: {v: ...}` to take that",
                loop.text, branch.taken, unit, m->joint[j].name, branch.other, unit);
    return CARDAN_OK;
}

// At rest, while laws ask for accelerations: at a singular pose rest may begin no such motion.
static bool begins_to_drive(const cardan_data* d)
{
    bool asked = false;
    for (int i = 0; i < d->m->nmotion; ++i) asked |= d->closure.law[3 * i + 2] != 0;
    return asked && d->closure.ndriving > 0 && fastest(d) <= law_rounding * enough * rate_of_laws(d);
}

// What is left of velocities of this speed where nothing can move is rounding, and rest satisfies the rows as well.
static void come_to_rest(cd_assembly* a, double speed)
{
    cardan_data* d = a->d;
    if (!(fastest(d) <= at_rest * speed)) return;
    memcpy(a->dq, d->v, (size_t)d->m->nv * sizeof *a->dq);
    for (int i = 0; i < a->nfree; ++i) d->v[a->free[i]] = 0;
    cd_set_velocity(d, d->v);
    if (cd_assembly_residual(a, a->c) <= at_rest * speed) return;
    cd_set_velocity(d, a->dq);
}

static cardan_status close_velocities(cd_assembly* a, cardan_report* report)
{
    cd_take_branches(a->d, NULL);
    cd_assembly_choose(a, true, false);
    const double speed = fmax(fastest(a->d), rate_of_laws(a->d)), found = cd_assembly_residual(a, a->c);
    const double wished = cd_assembly_wished(a, NULL);
    if (found <= closed * speed && wished <= closed * speed)
        return begins_to_drive(a->d) ? choose_branch(a, report) : CARDAN_OK;
    if (cd_assembly_close_velocities(a) <= had * fmax(speed, found)) {
        cd_assembly_return_velocities(a);
        come_to_rest(a, fmax(speed, fmax(found, wished)));
        return choose_branch(a, report);
    }
    const cd_gap g = cd_widest_gap(a);
    if (cd_exact_words(a, g.c).count > 0) return cd_fail_contradiction(a, g, false, report);
    const cd_constraint* first = NULL;
    const cd_names       who   = cd_pulling_drivers(a, &first);
    if (first) return cd_fail_driven(a, g, who, first, report);
    const cd_names felt = cd_felt_words(a->d->m, g.c);
    return cardan_fail(report, CARDAN_INCONSISTENT, CARDAN_CODE_START_INCONSISTENT, g.c->place,
                       "no velocities of joints %s satisfy %s '%s': %.3g %s/s remain at t = %g s", felt.text, g.c->what,
                       g.c->name, g.size, g.unit, a->d->t);
}

// ---- the whole

static cardan_start wanted(const cardan_model* m, const cardan_start* start, int j)
{
    return start ? start[j] : cardan_start_of(m, j);
}

// Whether every joint is where it should be.
static bool agrees(cardan_data* d, const cardan_start* start)
{
    const cardan_model* m = d->m;
    for (int j = 0; j < m->njoint; ++j) {
        const cardan_start s                       = wanted(m, start, j);
        double             q[CARDAN_JOINT_MAX + 1] = {0}, v[CARDAN_JOINT_MAX] = {0}, off = 0, along = 0;
        const int          nq = m->slot[j].nq, nv = m->slot[j].nv, plain = nq > nv ? nq - 4 : nq;
        cardan_joint_state(d, j, q, v);
        for (int i = 0; i < plain; ++i) off = fmax(off, fabs(q[i] - s.q[i]));
        for (int i = plain; i < nq; ++i) along += q[i] * s.q[i];
        if (nq > nv) off = fmax(off, fabs(fabs(along) - 1));
        if (off > enough) return false;
        for (int i = 0; i < nv; ++i)
            if (fabs(v[i] - s.v[i]) > enough) return false;
    }
    return true;
}

static bool is_closed(cardan_data* d)
{
    double position, velocity;
    cd_gaps(d, &position, &velocity);
    const double least = fmax(closed, cd_assembly_rounding(d) / d->small);
    return position <= least && velocity <= least * fmax(cd_largest_motion(d, d->v), rate_of_laws(d));
}

// What the drawing says where it is open: by how much, and whether it could move.
typedef struct drawing {
    bool   open, moves;
    cd_gap widest;
} drawing;

static drawing look_at_drawing(cd_assembly* a, double open)
{
    const cardan_data* d   = a->d;
    drawing            now = {0};
    if (a->near || !a->dense || !(open > cd_drawn_open * d->small) || d->closure.ndriving > 0 ||
        d->m->nv > d->closure.nrow)
        return now;
    cd_assembly_set_drawn(a);
    cd_assembly_choose(a, false, true);
    now.open   = cd_assembly_residual(a, a->c) > cd_drawn_open;
    now.widest = cd_widest_gap(a);
    now.moves  = now.open && cd_assembly_moves(a);
    memcpy(a->q, a->q0, (size_t)d->m->nq * sizeof *a->q);
    cd_data_set(a->d, d->t, a->q, d->v, d->state);
    return now;
}

static bool is_set_moving(const cd_assembly* a)
{
    for (int j = 0; j < a->d->m->njoint; ++j)
        for (int i = 0; i < a->d->m->slot[j].nv && a->start[j].velocity == CARDAN_HOLD_EXACT; ++i)
            if (a->start[j].v[i] != 0) return true;
    return false;
}

// A drawing with a gap that was closed, and then nothing moves: lengths are not what they should be. What could move as
// drawn, or is set moving, was meant to; all else may be a truss.
static cardan_status check_rigid(cd_assembly* a, const drawing* before, cardan_report* report)
{
    if (!before->open || cd_assembly_moves(a)) return CARDAN_OK;
    return cd_tell_rigid(a, before->widest, before->moves || is_set_moving(a), report);
}

static cardan_status assemble_tree(cardan_data* d, const cardan_start* start, bool near, cardan_assembled* done,
                                   cardan_report* report)
{
    cd_assembly   a      = {0};
    cardan_status status = CARDAN_OK;
    if (!cd_assembly_open(&a, d, start))
        status = fail_memory(&a, report);
    else {
        a.near = near;
        cardan_closure_error(d, &done->position, &done->velocity);
        const drawing before = look_at_drawing(&a, done->position);
        status               = close_positions(&a, report);
        if (status == CARDAN_OK) status = check_rigid(&a, &before, report);
        if (status == CARDAN_OK) status = close_velocities(&a, report);
        done->iterations = a.iterations;
    }
    cd_assembly_end(&a);
    return status;
}

// Other coordinates: assembled in those of the shallow tree, so that the result is the same whatever will solve it.
static cardan_status assemble_elsewhere(cardan_data* d, const cardan_start* start, bool near, cardan_assembled* done,
                                        cardan_report* report)
{
    cardan_model* model  = NULL;
    cardan_data*  data   = NULL;
    cardan_status status = cardan_model_compile(d->m->description, CARDAN_TREE_SHALLOW, &model, report);
    if (status == CARDAN_OK) status = cd_data_create_bare(model, &data, report);
    if (status == CARDAN_OK) {
        memcpy(data->outer, d->outer, (size_t)model->nmotion * sizeof *d->outer);
        memcpy(data->outer_law, d->outer_law, 3 * (size_t)model->nmotion * sizeof *d->outer_law);
        cd_data_set(data, d->t, model->q_start, model->v_start, d->state);
        status            = assemble_tree(data, start, near, done, report);
        data->rows.misfit = data->system.misfit = d->rows.misfit;
        if (status == CARDAN_OK) status = cardan_exchange(data, d);
    }
    cardan_data_destroy(data);
    cardan_model_destroy(model);
    return status;
}

static cardan_status assemble(cardan_data* d, const cardan_start* start, bool near, cardan_assembled* found,
                              cardan_report* report)
{
    cardan_status status = cd_check_laws(d, report);
    *found               = (cardan_assembled){0};
    if (status != CARDAN_OK) return status;
    cd_take_branches(d, NULL);
    cardan_closure_error(d, &found->position, &found->velocity);
    if (!is_closed(d) || !agrees(d, start) || begins_to_drive(d)) {
        if (d->m->policy == CARDAN_TREE_SHALLOW)
            status = assemble_tree(d, start, near, found, report);
        else
            status = assemble_elsewhere(d, start, near, found, report);
    }
    if (status == CARDAN_OK) cd_take_branches(d, report);
    cardan_closure_error(d, &found->position_left, &found->velocity_left);
    return status;
}

// Start values from outside are finite where they are given.
static cardan_status check_starts(const cardan_model* m, const cardan_start* start, cardan_report* report)
{
    for (int j = 0; start && j < m->njoint; ++j) {
        const cardan_start* s = &start[j];
        if (cd_are_finite(m->slot[j].nq, s->q) && cd_are_finite(m->slot[j].nv, s->v)) continue;
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_ARGUMENT, cardan_nowhere(),
                           "joint '%s': its start value is not finite", m->joint[j].name);
    }
    return CARDAN_OK;
}

cardan_status cardan_assemble(cardan_data* d, const cardan_start* start, double* q, double* v, cardan_assembled* done,
                              cardan_report* report)
{
    cardan_assembled none, *found = done ? done : &none;
    CD_REFUSE_NULL(d, "data", report);
    cardan_status status = check_starts(d->m, start, report);
    if (status != CARDAN_OK) return status;
    status         = assemble(d, start, false, found, report);
    const int lost = status == CARDAN_OK ? cd_bearing_lost(d) : CARDAN_NONE;
    if (lost != CARDAN_NONE) status = cd_fail_bearing(d, lost, d->t, CARDAN_INCONSISTENT, report);
    if (status == CARDAN_OK) status = cd_misfit_take(d, report);
    if (q) memcpy(q, d->q, (size_t)d->m->nq * sizeof *q);
    if (v) memcpy(v, d->v, (size_t)d->m->nv * sizeof *v);
    return status;
}

cardan_status cd_assemble_near(cardan_data* d, const cardan_start* start)
{
    cardan_assembled none;
    return assemble(d, start, true, &none, NULL);
}
