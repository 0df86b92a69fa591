// SPDX-License-Identifier: BSD-3-Clause
#include "assembly/assembly_problem.h"
#include "simulation/simulation_errors.h"
#include "simulation/integrators/jacobian/sparse_equation_jacobian.h"

#include "dynamics/data.h"
#include "simulation/simulation.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/state.h"
#include "explain/explain.h"
#include "simulation/stabilization/stabilization.h"

#include <cardan/assemble.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 160, TRIALS_AHEAD = 3, BISECTIONS = 20 }; // bisections: to the time when the workspace was left

static const double ahead_fraction[TRIALS_AHEAD] = {1e-4, 1e-3, 1e-2}; // of the longest step

static int joint_of_coordinate(const cd_ode_system* system, int q)
{
    const cardan_model_view view = cardan_model_get_view(system->model);
    for (int j = 0; j < view.ntree_range; ++j)
        if (view.tree_range[j].q >= 0 && q >= view.tree_range[j].q && q < view.tree_range[j].q + view.tree_range[j].nq)
            return j;
    return CARDAN_NONE;
}

// Joint of the failure index, or CARDAN_NONE.
static int joint_of_failure(const cd_ode_system* system)
{
    const int nq = system->nq, nv = system->nv, at = system->failure.index;
    int       local = 0;
    if (at >= nq && at < nq + nv) return cardan_model_joint_of_velocity(system->model, at - nq, &local);
    return at >= 0 && at < nq ? joint_of_coordinate(system, at) : CARDAN_NONE;
}

static cardan_location location_of_failure(const cd_ode_system* system)
{
    const int joint = joint_of_failure(system);
    return joint >= 0 && joint < system->description.njoint ? system->description.joint[joint].location
                                                            : cardan_location_none();
}

// Name of the failed element: "joint 'hinge'", "state 'filter'", or "the motion" if unknown.
static void name_failure(const cd_ode_system* system, char text[NAME_SIZE])
{
    const int nq = system->nq, nv = system->nv, at = system->failure.index;
    const int joint = joint_of_failure(system);
    snprintf(text, NAME_SIZE, "the motion");
    if (at >= nq + nv && at < nq + nv + system->ns) {
        snprintf(text, NAME_SIZE, "state '%s'", system->description.state[at - nq - nv].name);
        return;
    }
    if (joint != CARDAN_NONE)
        snprintf(text, NAME_SIZE, "%s '%s'", joint < cardan_model_get_view(system->model).njoint ? "joint" : "body",
                 cardan_model_joint_name(system->model, joint));
}

// Force whose formula was not finite at the last state, while that state was, or CARDAN_NONE.
static int undefined_force(const cd_ode_system* system)
{
    const double* component = system->data->forces.formula_value;
    if (!cd_is_bounded(system->nq, system->data->q) || !cd_is_bounded(system->nv, system->data->v)) return CARDAN_NONE;
    for (int i = 0; i < system->description.nforce; ++i, component += 3)
        for (int k = 0; k < 3; ++k)
            if (!isfinite(component[k])) return i;
    return CARDAN_NONE;
}

static cardan_status fail_diverged(const cd_ode_system* system, const cd_integrator* integrator, double step,
                                   cardan_report* report)
{
    const double t     = system->failure.t;
    const double value = system->failure.value;
    const int    force = undefined_force(system);
    char         subject[NAME_SIZE], problem[80];
    name_failure(system, subject);
    if (force != CARDAN_NONE && !isfinite(value))
        return cardan_fail(report, CARDAN_NOT_FINITE, CARDAN_CODE_DIVERGED, system->description.force[force].location,
                           "the motion diverged at t = %.9g s: force '%s' has no value, its formula is not defined "
                           "there or grows without bound, and %s is no longer a finite number",
                           t, system->description.force[force].name, subject);
    snprintf(problem, sizeof problem, isfinite(value) ? "has grown to %.3g" : "is no longer a finite number", value);
    if (integrator->is_adaptive)
        return cardan_fail(report, CARDAN_NOT_FINITE, CARDAN_CODE_DIVERGED, location_of_failure(system),
                           "the motion diverged at t = %.9g s: %s %s; check for a force that grows without bound or a "
                           "formula that is not defined there",
                           t, subject, problem);
    return cardan_fail(report, CARDAN_NOT_FINITE, CARDAN_CODE_DIVERGED, location_of_failure(system),
                       "the motion diverged at t = %.9g s: %s %s; use a step smaller than %.3g s, or an integrator "
                       "with variable steps (dopri5; cvode-bdf for stiff springs and dampers)",
                       t, subject, problem, step);
}

static cardan_status fail_step_too_small(const cd_ode_system* system, const cd_integrator* integrator,
                                         cardan_report* report)
{
    char                subject[NAME_SIZE];
    const cardan_status reported =
        system->has_constraints
            ? cd_fail_undetermined_motion(system->data, system->failure.t, CARDAN_STEP_TOO_SMALL, report)
            : CARDAN_OK;
    if (reported != CARDAN_OK) return reported;
    name_failure(system, subject);
    const bool stiff_method = strcmp(integrator->name, "cvode-bdf") == 0 || strcmp(integrator->name, "ida") == 0;
    return cardan_fail(report, CARDAN_STEP_TOO_SMALL, CARDAN_CODE_STEP_TOO_SMALL, cardan_location_none(),
                       "at t = %.9g s no step is small enough for the tolerance %.3g; the error is largest at %s; use "
                       "%s, or check for a force that is discontinuous there",
                       system->failure.t, system->settings.tolerance, subject,
                       stiff_method ? "a larger tolerance"
                                    : "cvode-bdf (stiff springs and dampers), a larger tolerance");
}

// Report the failure of the dynamics at the present state of the data.
static cardan_status fail_dynamics(const cd_ode_system* system, cardan_status status, cardan_report* report)
{
    if (cardan_data_accelerate(system->data, system->a, NULL, report)) return status;
    return cardan_fail(report, status, CARDAN_CODE_RUN_FAILED, cardan_location_none(), "at t = %.9g s: %s",
                       system->failure.t, cardan_status_text(status));
}

bool cd_is_beyond_workspace(const cd_ode_system* system)
{
    cardan_data* d = system->data;
    char         drivers[300];
    if (!system->has_constraints || cd_drivers_by_power(d, CARDAN_NONE, drivers, sizeof drivers) == CARDAN_NONE)
        return false;
    const double t = d->t, velocity_scale = cd_velocity_scale(system, d->v),
                 duration_max = velocity_scale > 0 ? cd_travel_ahead_max / velocity_scale : INFINITY;
    double violation;
    cd_scaled_violations(d, &violation, NULL);
    for (int i = 0; i < TRIALS_AHEAD; ++i) {
        cd_data_set_state(d, t + fmin(ahead_fraction[i] * system->settings.max_step, duration_max), d->q, d->v,
                          d->state);
        const cardan_status status = cardan_data_project(d, NULL, NULL, NULL, NULL, NULL);
        if (status != CARDAN_NOT_CONVERGED && (status == CARDAN_OK || violation < cd_accepted_violation)) continue;
        d->t = t;
        return true;
    }
    d->t = t;
    return false;
}

// ---- methods that tolerate violations

static bool is_assemblable_at(cardan_data* d, double t, const cardan_joint_start* start, bool locally)
{
    d->t = t;
    cd_data_set_state(d, t, d->q, d->v, d->state);
    const cardan_status status =
        locally ? cd_assemble_locally(d, start) : cardan_data_assemble(d, start, NULL, NULL, NULL, NULL);
    return status != CARDAN_INCONSISTENT;
}

// If the constraints cannot be satisfied at t, starting from `start`: report the drivers, at the last time between
// t_start and t at which they can be satisfied.
static cardan_status fail_beyond_workspace(cardan_data* d, const cardan_joint_start* start, bool locally,
                                           double t_start, double t, cardan_report* report)
{
    if (is_assemblable_at(d, t, start, locally)) return CARDAN_OK;
    for (int i = 0; i < BISECTIONS; ++i) {
        const double half = t_start + (t - t_start) / 2;
        if (is_assemblable_at(d, half, start, locally))
            t_start = half;
        else
            t = half;
    }
    (void)is_assemblable_at(d, t_start, start, locally);
    return cd_fail_driver_limit(d, CARDAN_NOT_CONVERGED, report);
}

// If no configuration near the state of the data satisfies the constraints, the violation is not an error of the
// method: the drivers are infeasible.
cardan_status cd_check_driver_feasibility(const cd_ode_system* system, double violation, double t_start,
                                          cardan_report* report)
{
    cardan_data* d = system->data;
    char         drivers[300];
    if (!(violation > cd_large_violation_fraction * fmin(1, d->units.length_scale) / d->units.length_unit) ||
        cd_drivers_by_power(d, CARDAN_NONE, drivers, sizeof drivers) == CARDAN_NONE)
        return CARDAN_OK;
    cardan_joint_start* start = cd_allocate((size_t)d->m->njoint + 1, sizeof *start);
    if (!start)
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                           "out of memory while finding out why the motion failed");
    // all start values are free
    for (int j = 0; j < d->m->njoint; ++j) cardan_data_joint_state(d, j, start[j].q, start[j].v);
    const cardan_status status = fail_beyond_workspace(d, start, true, t_start, d->t, report);
    free(start);
    return status;
}

static cardan_status check_workspace_from_start(cardan_data* d, cardan_joint_start* start, double t_start, double t,
                                                cardan_report* report)
{
    for (int j = 0; j < d->m->njoint; ++j) {
        start[j]               = cardan_joint_start_default(d->m, j);
        start[j].position_mode = start[j].velocity_mode = CARDAN_START_FREE;
    }
    memcpy(d->q, d->m->q_start, (size_t)d->m->nq * sizeof *d->q);
    memset(d->v, 0, (size_t)d->m->nv * sizeof *d->v);
    return fail_beyond_workspace(d, start, false, t_start, t, report);
}

// A diverged state, or one that violates its constraints, is no initial guess: whether any configuration satisfies
// the constraints is tested from the start configuration.
static cardan_status check_workspace_after_divergence(const cd_ode_system* system, double t_start,
                                                      cardan_report* report)
{
    cardan_data* d = system->data;
    const size_t n = (size_t)(d->m->nq + d->m->nv);
    if (!system->has_constraints || d->constraints.ndriven == 0 || !isfinite(system->failure.t)) return CARDAN_OK;
    cardan_joint_start* start  = cd_allocate((size_t)d->m->njoint + 1, sizeof *start);
    double*             saved  = cd_allocate(n + 1, sizeof *saved);
    cardan_status       status = CARDAN_OK;
    if (start && saved) {
        memcpy(saved, d->q, (size_t)d->m->nq * sizeof *saved);
        memcpy(saved + d->m->nq, d->v, (size_t)d->m->nv * sizeof *saved);
        status = check_workspace_from_start(d, start, t_start, system->failure.t, report);
        if (!status) cd_data_set_state(d, system->failure.t, saved, saved + d->m->nq, d->state);
    } else {
        status = cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                             "out of memory while finding out why the motion failed");
    }
    free(start);
    free(saved);
    return status;
}

cardan_status cd_fail_integration(const cd_ode_system* system, const cd_integrator* integrator, double t_start,
                                  double step, cardan_status status, cardan_report* report)
{
    if (status != CARDAN_NO_MEMORY && cd_is_beyond_workspace(system))
        return cd_fail_driver_limit(system->data, CARDAN_NOT_CONVERGED, report);
    const bool          has_diverged = status == CARDAN_NOT_FINITE || status == CARDAN_INCONSISTENT;
    const cardan_status workspace_status =
        has_diverged ? check_workspace_after_divergence(system, t_start, report) : CARDAN_OK;
    if (workspace_status) return workspace_status;
    if (status == CARDAN_NOT_FINITE) return fail_diverged(system, integrator, step, report);
    if (status == CARDAN_STEP_TOO_SMALL) return fail_step_too_small(system, integrator, report);
    if (status == CARDAN_NO_MEMORY)
        return cardan_fail(report, status, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                           "out of memory for the integrator %s", integrator->name);
    return fail_dynamics(system, status, report);
}

cardan_status cd_fail_large_violation(const cd_ode_system* system, const cd_integrator* integrator, double t,
                                      cardan_status status, cardan_report* report)
{
    return cardan_fail(report, status, CARDAN_CODE_PROJECTION_FAILED, cardan_location_none(),
                       "at t = %.9g s the constraint violation of '%s' grows so much within a step that projection "
                       "does not converge; use %s",
                       t, system->model->view.name,
                       integrator->is_adaptive ? "a smaller tolerance"
                                               : "smaller steps, or an integrator of higher order");
}

cardan_status cd_fail_stalled_at_singularity(const cd_ode_system* system, double t, const char* loops,
                                             cardan_report* report)
{
    if (cd_fail_mass_ratio(system->data, CARDAN_STEP_TOO_SMALL, report)) return CARDAN_STEP_TOO_SMALL;
    const cardan_status reported = cd_fail_undetermined_motion(system->data, t, CARDAN_STEP_TOO_SMALL, report);
    if (reported != CARDAN_OK) return reported;
    return cardan_fail(
        report, CARDAN_STEP_TOO_SMALL, CARDAN_CODE_STEP_TOO_SMALL, cardan_location_none(),
        "at t = %.9g s the run makes no progress: near a singular configuration of %s rounding errors exceed the "
        "tolerance %.3g, and steps become ever shorter; use a larger tolerance, or another formulation",
        t, loops, system->settings.tolerance);
}

cardan_status cd_fail_start_value(const cd_ode_system* system, cardan_report* report)
{
    char subject[NAME_SIZE];
    name_failure(system, subject);
    return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_INVALID_VALUE, location_of_failure(system),
                       "%s cannot start at %g", subject, system->failure.value);
}

void cd_warn_branch_switch(const cardan_event* event, cardan_report* report)
{
    cardan_warn(report, CARDAN_CODE_BRANCH_SWITCH, cardan_location_none(),
                "at t = %.6g s, at a singular configuration of %s, the motion switched to another branch than its "
                "velocity implies: later results are not the motion of this mechanism; use rk4, a smaller step or "
                "tolerance, or dopri5 with `lagrange`",
                event->t, event->description);
}

void cd_warn_singular_standstill(double t, const char* loops, cardan_report* report)
{
    cardan_warn(report, CARDAN_CODE_STANDSTILL_AT_SINGULARITY, cardan_location_none(),
                "at t = %.6g s the motion is at a standstill in a singular configuration of %s: several branches begin "
                "there, and rounding alone decides which one follows; let the driver function pass it with a velocity, "
                "or start or stop at another configuration",
                t, loops);
}

void cd_warn_window_violation(const cd_ode_system* system, cardan_report* report)
{
    const cardan_regularization_summary* r = &system->regularization.result;
    if (r->windows_over_tolerance == 0) return;
    cardan_warn(report, CARDAN_CODE_VIOLATION_LIMIT, cardan_location_none(),
                "%ld of %ld windows exceed the violation tolerance of %g, up to %.2g m or rad at t = %.6g s: use "
                "smaller steps, more iterations or a larger violation tolerance",
                r->windows_over_tolerance, r->windows, system->regularization.violation_tolerance,
                r->max_window_violation, r->max_window_violation_t);
}

void cd_name_row_constraint(const cardan_data* d, int row, char* text, size_t size)
{
    int i = 0;
    while (i < d->constraints.nconstraint - 1 && d->constraints.constraint[i + 1].first_row <= row) ++i;
    snprintf(text, size, "%s '%s'", d->constraints.constraint[i].category, d->constraints.constraint[i].name);
}

void cd_max_violation_update(const cardan_data* d, double violation, cd_max_violation* max_violation)
{
    int row = 0;
    if (!(violation > max_violation->violation)) return;
    for (int i = 1; i < d->rows.nrow; ++i)
        if (fabs(d->constraints.value[i]) > fabs(d->constraints.value[row])) row = i;
    *max_violation =
        (cd_max_violation){.violation = violation,
                           .relative  = d->violations.position * d->units.length_unit / fmin(1, d->units.length_scale),
                           .t         = d->t};
    cd_name_row_constraint(d, row, max_violation->description, sizeof max_violation->description);
}

void cd_warn_large_violation(const cd_max_violation* max_violation, double tolerance, cardan_report* report)
{
    if (!(max_violation->relative > cd_large_violation_fraction) || max_violation->violation <= tolerance) return;
    cardan_warn(report, CARDAN_CODE_VIOLATION_LIMIT, cardan_location_none(),
                "constraint violation is large: %s is violated by %.2g m or rad at t = %.6g s; use smaller steps, or "
                "another integrator with a formulation that satisfies constraints exactly",
                max_violation->description, max_violation->violation, max_violation->t);
}

void cd_warn_violation_growth(const cardan_event* event, double step, cardan_report* report)
{
    cardan_warn(
        report, CARDAN_CODE_VIOLATION_GROWTH, cardan_location_none(),
        "from t = %.6g s on constraint violations grow from step to step, first at %s, %.2g m or rad: loads are too "
        "high for steps of %.3g s, and later results are not the motion of this mechanism; use smaller steps",
        event->t, event->description, event->value, step);
}

void cd_note_near_singular(const cd_ode_system* system, const char* loops, cardan_report* report)
{
    if (cd_fail_mass_ratio(system->data, CARDAN_SINGULAR, NULL)) return; // pivots are small because of the mass ratio
    cardan_note(report, CARDAN_CODE_NEAR_SINGULAR_CONFIGURATION, cardan_location_none(),
                "near a singular configuration of %s at t = %.9g s: constraints are nearly dependent there", loops,
                system->conditioning.t);
}

void cd_note_dense_jacobian(const cd_ode_system* system, const cd_integrator* integrator, cardan_report* report)
{
    const int n = system->nq + system->nz;
    if (integrator->uses_dense_jacobian && system->nv > 300 &&
        !(integrator->can_use_sparse_jacobian && cd_prefers_sparse_jacobian(system)))
        cardan_note(report, CARDAN_CODE_DENSE_JACOBIAN, cardan_location_none(),
                    "%s uses a dense Jacobian: this mechanism of %d velocities needs factorizations of %d x %d; unless "
                    "its forces are stiff, dopri5 or cvode-adams is much faster",
                    integrator->name, system->nv, n, n);
}

void cd_note_stiffness(const cd_ode_system* system, cardan_report* report)
{
    cardan_note(report, CARDAN_CODE_STIFF, cardan_location_none(),
                "the motion is stiff from t = %.3g s on: stability, not accuracy, limits the steps; cvode-bdf or "
                "ida may need far fewer",
                system->statistics.stiff_since);
}

cardan_status cd_fail_run(cd_simulation* s, cardan_status status)
{
    if (status == CARDAN_STOPPED) return status;
    if (cd_driver_domain_report_failure(&s->driver_domain, s->system.data, s->x.t, status, s->report)) return status;
    if (cd_monitors_explain(s, CD_EXPLAIN_FAILURE, status)) return status;
    if (s->integrator->report_failure &&
        s->integrator->report_failure(&s->system, s->integrator_work, status, s->report))
        return status;
    cd_fail_integration(&s->system, s->integrator, s->run.start, s->run.step, status, s->report);
    cd_monitors_explain(s, CD_EXPLAIN_NOTE, status);
    return status;
}

cardan_status cd_set_state_reported(cd_simulation* s, const cd_ode_state* x)
{
    s->step.status = cd_simulation_set_state(s, x);
    return s->step.status ? cd_fail_run(s, s->step.status) : CARDAN_OK;
}

// With Baumgarte terms, redundant rows are inconsistent by the violation: a compliant row satisfies the mean of
// redundant rows, so errors below the violation do not decrease with the tolerance. The energy error is an estimate of
// them.
void cd_warn_compliant_rows(const cd_simulation* s)
{
    const double       tolerances_max = 30; // tolerances: runs without this effect stay below
    const cardan_data* data           = s->system.data;
    if (!(data->formulation->properties & CD_COMPLIANT_ROWS) || !(s->stabilization->baumgarte_factor > 0)) return;
    if (!s->integrator->is_adaptive || s->system.conditioning.rank_deficiency_generic <= 0) return;
    if (!(s->summary->energy_error > tolerances_max * s->system.settings.tolerance)) return;
    cardan_warn(s->report, CARDAN_CODE_ENERGY_ERROR, cardan_location_none(),
                "the run is accurate to about %.1g, by its energy error, not to the tolerance of %.1g: constraints of "
                "'%s' are redundant, and '%s' does not satisfy them exactly with stabilization '%s'; use stabilization "
                "'projection', or another formulation",
                s->summary->energy_error, s->system.settings.tolerance, data->m->view.name, data->formulation->name,
                s->stabilization->name);
}
