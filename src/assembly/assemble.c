// SPDX-License-Identifier: BSD-3-Clause
// Assembly of a mechanism from start values: positions that satisfy the constraints, then consistent velocities.
// Failures are explained by assembly_errors.h.
#include "assembly/assembly_problem.h"
#include "assembly/assembly_tolerances.h"
#include "core/check_arguments.h"
#include "assembly/assembly_errors.h"
#include "dynamics/rows/constraint_direction.h"
#include "assembly/curve_branch.h"
#include "driver/driver_breakpoints.h"
#include "dynamics/rank/near_redundancy.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/state.h"
#include "dynamics/unit_scales.h"
#include "math/finite.h"
#include "math/norm_inf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static cardan_status fail_memory(const cd_assembly* a, cardan_report* report)
{
    return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                       "out of memory while assembling '%s'", a->d->m->view.name);
}

// ---- positions and velocities

// Find the cause of a failed position assembly: fixed values are the cause if the loops close after their release.
static cardan_status fail_positions(cd_assembly* a, cardan_report* report)
{
    const size_t         size = (size_t)a->d->m->nq * sizeof(double);
    cd_located_violation g    = cd_largest_violation(a);
    if (!a->dense) return cd_fail_loop_closure(a, g, false, report);
    if (!report) return CARDAN_INCONSISTENT;
    double* q_saved = malloc(size + 1);
    if (!q_saved) return fail_memory(a, report);
    memcpy(q_saved, a->d->q, size);
    cd_assembly_set_unknowns(a, false, true);
    const double violation_after = cd_assembly_solve_positions(a);
    const bool   fixed_conflict  = cd_fixed_joint_names(a, g.c).count > 0 &&
                                violation_after <= fmax(cd_assembly_violation_tolerance, a->violation_roundoff);
    const bool is_rigid = fixed_conflict && a->d->constraints.ndriven == 0 && !cd_assembly_can_move(a);
    if (fixed_conflict) {
        memcpy(a->q, q_saved, size);
        cd_data_set_state(a->d, a->d->t, a->q, a->d->v, a->d->state);
        cd_assembly_set_unknowns(a, false, false);
    }
    free(q_saved);
    cd_assembly_residual(a, a->c);
    g = cd_largest_violation(a);
    bool       out_of_memory;
    const bool attributed = cd_attribute_violation(a, &g, &out_of_memory);
    if (out_of_memory) return fail_memory(a, report);
    if (fixed_conflict) return cd_fail_fixed_start(a, g, attributed && is_rigid, report);
    const cd_constraint* first        = NULL;
    const cd_name_list   driver_names = cd_conflicting_driver_names(a, &first);
    return first ? cd_fail_driver_conflict(a, g, driver_names, first, report)
                 : cd_fail_loop_closure(a, g, attributed, report);
}

static cardan_status assemble_positions(cd_assembly* a, cardan_report* report)
{
    cd_assembly_set_unknowns(a, false, false);
    if (cd_assembly_residual(a, a->c) <= fmax(cd_satisfied_violation, a->violation_roundoff) &&
        cd_assembly_target_errors(a, NULL) <= cd_satisfied_violation)
        return CARDAN_OK;
    const double tolerance = fmax(cd_assembly_violation_tolerance, a->violation_roundoff);
    if (!a->local_only && !cd_assembly_continue_from_design(a)) return fail_memory(a, report);
    double violation_after = cd_assembly_solve_positions(a);
    if (violation_after > tolerance && !a->local_only && !cd_assembly_solve_by_continuation(a, &violation_after))
        return fail_memory(a, report);
    if (violation_after > tolerance) return fail_positions(a, report);
    cd_assembly_minimize_change(a);
    return CARDAN_OK;
}

static double max_speed(const cardan_data* d)
{
    double most = 0;
    for (int i = 0; i < d->m->nv; ++i) most = fmax(most, fabs(d->v[i]));
    return most;
}

// Size of the rates of driver functions: a function x at a turning point has a rate of the round-off of sqrt(|x
// x''|), where the terms of x are some radians or metres even if they cancel.
static double driver_rate_scale(const cardan_data* d)
{
    double most = 0;
    for (int i = 0; i < d->m->ndriver_function; ++i) {
        const double* driver   = d->constraints.driver_values + 3 * i;
        const double  roundoff = cd_driver_rate_roundoff * sqrt(fmax(1, fabs(driver[0])) * fabs(driver[2]));
        most                   = fmax(most, fmax(fabs(driver[1]), roundoff));
    }
    return most;
}

// At a singular configuration several motions branch: choose the velocities of one of them and warn.
static cardan_status choose_branch(cd_assembly* a, cardan_report* report)
{
    const cardan_model* m = a->d->m;
    cd_velocity_branch  branch;
    bool                changed;
    if (!cd_assembly_choose_branch(a, &branch, &changed)) return fail_memory(a, report);
    if (!changed) return CARDAN_OK;
    const cd_constraint* c    = &a->d->constraints.constraint[cd_constraint_of_row(&a->d->constraints, branch.row)];
    const cd_name_list   loop = c->joint == CARDAN_NONE ? cd_coupled_joint_names(m, c) : cd_loop_joint_names(m, c);
    if (branch.velocity == CARDAN_NONE) {
        cardan_warn(report, CARDAN_CODE_SINGULAR_START, c->location,
                    "the start is a singular configuration of joints %s: velocities were changed to those of a motion "
                    "that is possible there",
                    loop.text);
        return CARDAN_OK;
    }
    int         local;
    const int   j    = cardan_model_joint_of_velocity(m, branch.velocity, &local);
    const char* unit = cardan_model_v_unit(m, j, local);
    cardan_warn(report, CARDAN_CODE_BRANCH_CHOSEN, c->location,
                "the start is a singular configuration of joints %s, where motions branch: the branch nearest to the "
                "given velocities was chosen, with %.6g %s at joint '%s'; another has %.12g %s there: give it as "
                "`start: {v: ...}` to choose that branch",
                loop.text, branch.chosen_value, unit, m->joint[j].name, branch.other_value, unit);
    return CARDAN_OK;
}

// Whether the mechanism is at standstill while driver functions accelerate: at a singular configuration no such
// motion may start from zero velocity.
static bool drivers_start_from_standstill(const cardan_data* d)
{
    bool accelerates = false;
    for (int i = 0; i < d->m->ndriver_function; ++i) accelerates |= d->constraints.driver_values[3 * i + 2] != 0;
    return accelerates && d->constraints.ndriven > 0 &&
           max_speed(d) <= cd_driver_rate_roundoff * cd_assembly_violation_tolerance * driver_rate_scale(d);
}

// Set remaining velocities of round-off size to zero if nothing can move and zero velocities satisfy the rows as
// well.
static void zero_negligible_velocities(cd_assembly* a, double speed)
{
    cardan_data* d = a->d;
    if (!(max_speed(d) <= cd_standstill_speed_ratio * speed)) return;
    memcpy(a->dq, d->v, (size_t)d->m->nv * sizeof *a->dq);
    for (int i = 0; i < a->nfree; ++i) d->v[a->free_velocity[i]] = 0;
    cd_data_set_velocity(d, d->v);
    if (cd_assembly_residual(a, a->c) <= cd_standstill_speed_ratio * speed) return;
    cd_data_set_velocity(d, a->dq);
}

static cardan_status assemble_velocities(cd_assembly* a, cardan_report* report)
{
    cd_choose_curve_branches(a->d, NULL);
    cd_assembly_set_unknowns(a, true, false);
    const double speed             = fmax(max_speed(a->d), driver_rate_scale(a->d)),
                 initial_violation = cd_assembly_residual(a, a->c);
    const double target_error      = cd_assembly_target_errors(a, NULL);
    if (initial_violation <= cd_satisfied_violation * speed && target_error <= cd_satisfied_violation * speed)
        return drivers_start_from_standstill(a->d) ? choose_branch(a, report) : CARDAN_OK;
    if (cd_assembly_solve_velocities(a) <= cd_accepted_velocity_violation * fmax(speed, initial_violation)) {
        cd_assembly_minimize_velocity_change(a);
        zero_negligible_velocities(a, fmax(speed, fmax(initial_violation, target_error)));
        return choose_branch(a, report);
    }
    const cd_located_violation g = cd_largest_violation(a);
    if (cd_fixed_joint_names(a, g.c).count > 0) return cd_fail_fixed_start(a, g, false, report);
    const cd_constraint* first   = NULL;
    const cd_name_list   drivers = cd_conflicting_driver_names(a, &first);
    if (first) return cd_fail_driver_conflict(a, g, drivers, first, report);
    const cd_name_list joints = cd_coupled_joint_names(a->d->m, g.c);
    return cardan_fail(report, CARDAN_INCONSISTENT, CARDAN_CODE_START_INCONSISTENT, g.c->location,
                       "no velocities of joints %s satisfy %s '%s': a violation of %.3g %s/s remains at t = %g s",
                       joints.text, g.c->category, g.c->name, g.size, g.unit, a->d->t);
}

// ---- complete assembly

static cardan_joint_start start_of_joint(const cardan_model* m, const cardan_joint_start* start, int j)
{
    return start ? start[j] : cardan_joint_start_default(m, j);
}

// Whether every joint has its start values.
static bool matches_start(cardan_data* d, const cardan_joint_start* start)
{
    const cardan_model* m = d->m;
    for (int j = 0; j < m->njoint; ++j) {
        const cardan_joint_start s                = start_of_joint(m, start, j);
        double q[CARDAN_JOINT_VELOCITIES_MAX + 1] = {0}, v[CARDAN_JOINT_VELOCITIES_MAX] = {0}, difference = 0,
                                               cosine = 0;
        const int nq = m->tree_range[j].nq, nv = m->tree_range[j].nv, nplain = nq > nv ? nq - 4 : nq;
        cardan_data_joint_state(d, j, q, v);
        for (int i = 0; i < nplain; ++i) difference = fmax(difference, fabs(q[i] - s.q[i]));
        for (int i = nplain; i < nq; ++i) cosine += q[i] * s.q[i];
        if (nq > nv) difference = fmax(difference, fabs(fabs(cosine) - 1));
        if (difference > cd_assembly_violation_tolerance) return false;
        for (int i = 0; i < nv; ++i)
            if (fabs(v[i] - s.v[i]) > cd_assembly_violation_tolerance) return false;
    }
    return true;
}

static bool satisfies_constraints(cardan_data* d)
{
    double position, velocity;
    cd_scaled_violations(d, &position, &velocity);
    const double tolerance = fmax(cd_satisfied_violation, cd_position_violation_roundoff(d) / d->units.length_unit);
    return position <= tolerance && velocity <= tolerance * fmax(cd_velocity_norm_inf(d, d->v), driver_rate_scale(d));
}

// Violation of the design configuration, and its mobility.
typedef struct design_check {
    bool                 is_violated, can_move;
    cd_located_violation largest_violation;
} design_check;

static design_check check_design(cd_assembly* a, double violation)
{
    const cardan_data* d     = a->d;
    design_check       check = {0};
    if (a->local_only || !a->dense || !(violation > cd_design_violation_tolerance * d->units.length_unit) ||
        d->constraints.ndriven > 0 || d->m->nv > d->constraints.nrow)
        return check;
    cd_assembly_set_design(a);
    cd_assembly_set_unknowns(a, false, true);
    check.is_violated       = cd_assembly_residual(a, a->c) > cd_design_violation_tolerance;
    check.largest_violation = cd_largest_violation(a);
    check.can_move          = check.is_violated && cd_assembly_can_move(a);
    memcpy(a->q, a->q_start, (size_t)d->m->nq * sizeof *a->q);
    cd_data_set_state(a->d, d->t, a->q, d->v, d->state);
    return check;
}

static bool has_fixed_velocity(const cd_assembly* a)
{
    for (int j = 0; j < a->d->m->njoint; ++j)
        for (int i = 0; i < a->d->m->tree_range[j].nv && a->start[j].velocity_mode == CARDAN_START_FIXED; ++i)
            if (a->start[j].v[i] != 0) return true;
    return false;
}

// The design configuration was violated, and after its assembly nothing can move: lengths are probably wrong. An
// error if it could move in the design configuration or has a fixed nonzero velocity; otherwise it may be a truss: a
// warning.
static cardan_status check_mobility(cd_assembly* a, const design_check* before, cardan_report* report)
{
    if (!before->is_violated || cd_assembly_can_move(a)) return CARDAN_OK;
    return cd_report_rigid(a, before->largest_violation, before->can_move || has_fixed_velocity(a), report);
}

static cardan_status assemble_in_tree(cardan_data* d, const cardan_joint_start* start, bool local_only,
                                      cardan_assembly_result* result, cardan_report* report)
{
    cd_assembly   a      = {0};
    cardan_status status = CARDAN_OK;
    if (!cd_assembly_init(&a, d, start))
        status = fail_memory(&a, report);
    else {
        a.local_only = local_only;
        cardan_data_constraint_violation(d, &result->position_violation_before, &result->velocity_violation_before);
        const design_check before = check_design(&a, result->position_violation_before);
        status                    = assemble_positions(&a, report);
        if (status == CARDAN_OK) status = check_mobility(&a, &before, report);
        if (status == CARDAN_OK) status = assemble_velocities(&a, report);
        result->iterations = a.iterations;
    }
    cd_assembly_destroy(&a);
    return status;
}

// For other coordinates: assemble in the breadth-first tree, so that the result does not depend on the formulation.
static cardan_status assemble_in_breadth_first_tree(cardan_data* d, const cardan_joint_start* start, bool local_only,
                                                    cardan_assembly_result* result, cardan_report* report)
{
    cardan_model* model  = NULL;
    cardan_data*  data   = NULL;
    cardan_status status = cardan_model_compile(d->m->description, CARDAN_TREE_BREADTH_FIRST, &model, report);
    if (status == CARDAN_OK) status = cd_data_create_without_formulation(model, &data, report);
    if (status == CARDAN_OK) {
        cd_copy_external_drivers(d, data);
        cd_data_set_state(data, d->t, model->q_start, model->v_start, d->state);
        status                        = assemble_in_tree(data, start, local_only, result, report);
        data->policy.redundancy_error = d->policy.redundancy_error;
        if (status == CARDAN_OK) status = cardan_data_copy_state(data, d);
    }
    cardan_data_destroy(data);
    cardan_model_destroy(model);
    return status;
}

static cardan_status assemble(cardan_data* d, const cardan_joint_start* start, bool local_only,
                              cardan_assembly_result* result, cardan_report* report)
{
    cardan_status status = cd_check_drivers(d, report);
    *result              = (cardan_assembly_result){0};
    if (status != CARDAN_OK) return status;
    cd_choose_curve_branches(d, NULL);
    cardan_data_constraint_violation(d, &result->position_violation_before, &result->velocity_violation_before);
    if (!satisfies_constraints(d) || !matches_start(d, start) || drivers_start_from_standstill(d)) {
        if (d->m->policy == CARDAN_TREE_BREADTH_FIRST)
            status = assemble_in_tree(d, start, local_only, result, report);
        else
            status = assemble_in_breadth_first_tree(d, start, local_only, result, report);
    }
    if (status == CARDAN_OK) cd_choose_curve_branches(d, report);
    cardan_data_constraint_violation(d, &result->position_violation_after, &result->velocity_violation_after);
    return status;
}

// Start values given by the caller must be finite.
static cardan_status check_starts(const cardan_model* m, const cardan_joint_start* start, cardan_report* report)
{
    for (int j = 0; start && j < m->njoint; ++j) {
        const cardan_joint_start* s = &start[j];
        if (cd_all_finite(m->tree_range[j].nq, s->q) && cd_all_finite(m->tree_range[j].nv, s->v)) continue;
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_ARGUMENT, cardan_location_none(),
                           "joint '%s': start value is not finite", m->joint[j].name);
    }
    return CARDAN_OK;
}

cardan_status cardan_data_assemble(cardan_data* d, const cardan_joint_start* start, double* q, double* v,
                                   cardan_assembly_result* result, cardan_report* report)
{
    cardan_assembly_result unused, *found = result ? result : &unused;
    CD_REQUIRE_POINTER(d, "data", report);
    cardan_status status = check_starts(d->m, start, report);
    if (status != CARDAN_OK) return status;
    status             = assemble(d, start, false, found, report);
    const int vanished = status == CARDAN_OK ? cd_find_vanished_direction(d) : CARDAN_NONE;
    if (vanished != CARDAN_NONE) status = cd_fail_vanished_direction(d, vanished, d->t, CARDAN_INCONSISTENT, report);
    if (status == CARDAN_OK) status = cd_update_redundancy_error(d, report);
    if (q) memcpy(q, d->q, (size_t)d->m->nq * sizeof *q);
    if (v) memcpy(v, d->v, (size_t)d->m->nv * sizeof *v);
    return status;
}

cardan_status cd_assemble_locally(cardan_data* d, const cardan_joint_start* start)
{
    cardan_assembly_result none;
    return assemble(d, start, true, &none, NULL);
}
