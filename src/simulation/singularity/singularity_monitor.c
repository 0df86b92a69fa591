// SPDX-License-Identifier: BSD-3-Clause
// Monitoring of a run with loops: conditioning at the ends of steps and inside long ones, so that singular vectors
// can be tracked and no singular configuration is missed; violations after windows, and growing violations. And
// accelerations at samples that may be at singular configurations, with the same limits as in steps.
#include "dynamics/rows/constraint_update.h"
#include "dynamics/state.h"
#include "explain/explain.h"
#include "simulation/simulation.h"

#include <cardan/assemble.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum { CHECKS_MAX = 16, CHECKS_NEAR_SINGULAR = 8, CHECKS_AT_SINGULAR = 32 }; // inside a step

// Windows leave violations after the first sample.
bool cd_may_be_near_singular(const cd_simulation* s)
{
    const bool allows_violation = s->integrator->is_regularized && s->summary->samples > 0;
    return s->system.has_constraints && !allows_violation && s->singularity.step_sigma_min_sq_rel < cd_regular_sigma_sq;
}

// Accelerate with violations left by windows, for which the formulation is not accurate near singular configurations:
// there the multipliers of the motion are better than any of its solutions.
static cardan_status accelerate_with_violation(cd_simulation* s, const cd_ode_state* x)
{
    cd_ode_system*      system = &s->system;
    const cardan_status status = cd_conditioning_at(&s->system, x);
    if (status) return status;
    const bool use_multipliers = system->conditioning.sigma_min_sq_rel < cd_regular_sigma_sq ||
                                 (system->data->formulation->properties & CD_COMPLIANT_ROWS &&
                                  system->data->violations.position > cd_inaccurate_compliant_violation);
    return use_multipliers ? s->integrator->accelerate(system, s->integrator_work, system->a) : CARDAN_OK;
}

static cardan_status accelerate_output(cd_simulation* s, cd_ode_state* x)
{
    cd_ode_system* system = &s->system;
    cardan_status  status = CARDAN_OK;
    if (!cd_may_be_near_singular(s)) {
        if (system->has_constraints && s->integrator->is_regularized) return accelerate_with_violation(s, x);
        status = cd_simulation_set_state(s, x);
        return status ? status : cardan_data_accelerate(system->data, system->a, NULL, NULL);
    }
    status = cd_conditioning_at(&s->system, x);
    if (!system->data->settings.near_singular) return status;
    status = cd_rhs_by_library(system, x->t, x->q, x->z, s->rate);
    const bool has_limit_reactions =
        !status && cd_singular_limit_evaluate_reactions(system, x->t, sqrt(system->settings.tolerance));
    if (has_limit_reactions) status = cd_rhs_by_library(system, x->t, x->q, x->z, s->rate);
    if (status) return status;
    memcpy(system->a, s->rate, (size_t)system->nv * sizeof *system->a);
    memcpy(x->q, system->data->q, (size_t)system->nq * sizeof *x->q);
    memcpy(x->z, system->data->v, (size_t)system->nv * sizeof *x->z);
    if (cd_singular_limit_velocities(system, x->z)) {
        cd_data_set_velocity(system->data, x->z);
        system->data->valid.solution = true; // multipliers are interpolated, too
    }
    if (has_limit_reactions) cd_singular_limit_apply_reactions(system);
    return CARDAN_OK;
}

static bool is_standstill_at_start(cd_simulation* s, const cd_ode_state* x)
{
    return s->summary->samples == 0 && !s->integrator->is_regularized && !cd_simulation_set_state(s, x) &&
           cd_singular_standstill_check_start(&s->singularity.standstill, &s->singularity.events, &s->system);
}

cardan_status cd_accelerate_sample(cd_simulation* s, cd_ode_state* x)
{
    const bool          is_standstill = is_standstill_at_start(s, x);
    const cardan_status status        = accelerate_output(s, x);
    if (!status && is_standstill) cd_singular_limit_invalidate_reactions(&s->system);
    return status;
}

// Report where windows start to exceed the violation tolerance.
static void check_window_violation(cd_simulation* s, double from)
{
    const cd_regularization* r           = &s->system.regularization;
    const bool               begins      = r->over_tolerance && !s->singularity.window_over_tolerance;
    s->singularity.window_over_tolerance = r->over_tolerance;
    if (!begins) return;
    cardan_event event = {.kind  = CARDAN_EVENT_VIOLATION_LIMIT,
                          .t     = from,
                          .joint = CARDAN_NONE,
                          .axis  = CARDAN_NONE,
                          .value = r->result.max_window_violation};
    cd_name_row_constraint(s->system.data, r->worst_row, event.description, sizeof event.description);
    cd_report_monitor_event(s, &event);
}

// Warn about a branch switch: once in a simulation, where the motion after it is that of another branch; prescribed
// motion continues along the new branch.
static void warn_branch_switch(cd_simulation* s, const cardan_event* event)
{
    if (s->is_prescribed || !s->singularity.branch_switch_reported) cd_warn_branch_switch(event, s->report);
    s->singularity.branch_switch_reported = true;
}

// Report events since the last update, which is at x. Pivots of fronts may be large where directions are nearly
// singular; in long steps both may be. A prescribed motion that was smooth at every step has not switched its branch,
// however abrupt it appears over a longer interval.
static void report_singular_events(cd_simulation* s, const cd_ode_state* x, double violation)
{
    cd_singularity*        singularity = &s->singularity;
    cd_singular_events*    events      = &singularity->events;
    const cd_conditioning* f           = &s->system.conditioning;
    const cd_step_interior in          = {s->integrator, s->integrator_work, s->step.from, NULL, violation};
    singularity->step_sigma_min_sq_rel = fmin(singularity->step_sigma_min_sq_rel, f->sigma_min_sq_rel);
    cd_singular_events_update(events, &s->system, in, x);
    for (int g = 0; g < f->ngroup && f->tracked; ++g)
        singularity->step_sigma_min_sq_rel = fmin(
            singularity->step_sigma_min_sq_rel, f->tracked_sigma[g].sigma_min_rel * f->tracked_sigma[g].sigma_min_rel);
    cd_singular_standstill_update(&singularity->standstill, events, &s->system, x,
                                  s->is_prescribed ? 0 : sqrt(s->system.settings.tolerance), s->report);
    for (int i = 0; i < events->nevent; ++i) {
        const cardan_event* event    = &events->event[i];
        const bool          switched = event->kind == CARDAN_EVENT_BRANCH_SWITCH;
        if (switched && s->is_prescribed && singularity->velocity_bend_max < cd_branch_velocity_bend) continue;
        cd_report_monitor_event(s, event);
        if (switched)
            warn_branch_switch(s, event);
        else
            singularity->step_sigma_min_sq_rel = 0;
    }
}

// Return whether the step has computed accelerations, and the factor is still theirs: a projection after the step
// leaves the factor of another configuration, and near a singular one the two differ strongly. A method that does not
// evaluate at the end of its steps is checked there if that end may be beyond a singular configuration, which must be
// found in this step.
static bool is_conditioning_current(const cd_simulation* s, double from)
{
    const cd_conditioning* f = &s->system.conditioning;
    if (f->t < s->x.t &&
        f->sigma_min_sq_rel < fmax(cd_near_sigma * cd_near_sigma, pow(2 * s->step.velocity_scale * (s->x.t - from), 2)))
        return false;
    return f->t >= from &&
           (f->sigma_min_sq_rel > cd_regular_sigma_sq || f->factor_id == s->system.data->solve.nfactorization);
}

// Number of checks in a step of length h.
static int checks_in_step(const cd_simulation* s, double h)
{
    return (int)fmax(1, fmin(CHECKS_MAX, ceil(h * s->step.velocity_scale / cd_travel_between_checks_max)));
}

// Return whether a state of the step was far from singular configurations, with or without violations, so that its
// end is not singular.
static bool is_far_from_singular(const cd_simulation* s, double from)
{
    const cd_conditioning* f = &s->system.conditioning;
    if (s->integrator->is_regularized || f->t < from || s->system.data->violations.position > cd_hiding_violation)
        return false;
    return sqrt(f->sigma_min_sq_rel) - 2 * s->step.velocity_scale * (s->x.t - from) > cd_far_sigma;
}

// Smallest singular value of the rows at the last check, relative to its running maximum.
static double smallest_tracked_sigma(const cd_conditioning* f)
{
    double smallest = sqrt(f->sigma_min_sq_rel);
    for (int g = 0; g < f->ngroup; ++g) smallest = fmin(smallest, f->tracked_sigma[g].sigma_min_rel);
    return smallest;
}

// Far from singular configurations not every step is checked: s changes by less than 2 |v| per unit of time, and a step of
// length h is checked if s may fall below cd_far_sigma by the end of the next one.
static bool is_check_due(cd_simulation* s, double h)
{
    s->singularity.unchecked_displacement -= h * s->step.velocity_scale;
    return h * s->step.velocity_scale >= s->singularity.unchecked_displacement;
}

static void schedule_next_check(cd_simulation* s)
{
    s->singularity.unchecked_displacement =
        fmin(cd_travel_between_checks_max, (smallest_tracked_sigma(&s->system.conditioning) - cd_far_sigma) / 2);
}

// Check at the nearest configurations on the constraints: violated states, of windows and without stabilization, make
// redundant rows look independent.
static cardan_status check_on_constraints(cd_simulation* s, double t_start)
{
    cd_ode_system*        system        = &s->system;
    const double          h             = s->x.t - t_start;
    const int             n             = checks_in_step(s, h);
    const cd_conditioning before        = system->conditioning;
    const bool            near_singular = system->data->settings.near_singular;
    double                violation;
    if (!is_check_due(s, h) || is_far_from_singular(s, t_start)) return CARDAN_OK;
    cardan_status status = cd_simulation_set_state(s, &s->x);
    if (status) return status;
    cd_scaled_violations(system->data, &violation, NULL);
    for (int i = 1; i <= n; ++i) {
        const cd_ode_state* x = i < n ? &s->sample_x : &s->x;
        status = i < n ? s->integrator->dense_output(system, s->integrator_work, t_start + i * h / n, &s->sample_x)
                       : CARDAN_OK;
        if (status) return status;
        if (cd_conditioning_is_known(system, cd_conditioning_on_constraints(system, x)))
            report_singular_events(s, x, fmax(violation, DBL_MIN));
    }
    schedule_next_check(s);
    system->conditioning.sigma_min_sq_rel = before.sigma_min_sq_rel;
    cd_set_near_singular(system, near_singular);
    return cd_simulation_set_state(s, &s->x);
}

// Number of checks if coupled loops may pass singular configurations shortly after each other, since only the
// smallest singular value is tracked: if one may be within the step, there are checks between it and the next.
static int checks_needed(const cd_simulation* s, double h)
{
    const cd_conditioning* f = &s->system.conditioning;
    const int              n = checks_in_step(s, h);
    if (!f->tracked || f->ngroup >= s->system.data->solver_rows.nblock - s->system.data->constraints.ndriven) return n;
    const double smallest_sigma = smallest_tracked_sigma(f);
    if (!(smallest_sigma < cd_sigma_rate_factor * s->step.velocity_scale * h)) return n;
    return smallest_sigma * smallest_sigma < cd_near_singular_ratio_sq ? CHECKS_AT_SINGULAR : CHECKS_NEAR_SINGULAR;
}

// Near a singular configuration, compute the conditioning on the constraints, from which x deviates by the tolerance.
static cardan_status compute_conditioning_near(cd_simulation* s, const cd_ode_state* x)
{
    const cardan_status status = cd_conditioning_at(&s->system, x);
    return s->system.data->settings.near_singular ? cd_conditioning_on_constraints(&s->system, x) : status;
}

// Accelerations are computed here for methods that do not compute them.
static cardan_status check_step(cd_simulation* s, double t_start)
{
    cd_ode_system* system = &s->system;
    const double   h      = s->x.t - t_start;
    if (s->integrator->is_regularized) {
        check_window_violation(s, t_start);
        return check_on_constraints(s, t_start);
    }
    if (!s->stabilization->correct && system->data->violations.position > cd_closed_violation) {
        s->singularity.step_sigma_min_sq_rel = system->conditioning.sigma_min_sq_rel;
        return check_on_constraints(s, t_start);
    }
    const bool is_current                = is_conditioning_current(s, t_start);
    s->singularity.step_sigma_min_sq_rel = is_current ? system->conditioning.sigma_min_sq_rel : 1;
    const int n                          = checks_needed(s, h);
    if (!is_check_due(s, h) && n == 1 && is_current && system->conditioning.tracked) return CARDAN_OK;
    for (int i = 1; i < n; ++i) {
        const cardan_status status =
            s->integrator->dense_output(system, s->integrator_work, t_start + i * h / n, &s->sample_x);
        if (status) return status;
        if (cd_conditioning_is_known(system, compute_conditioning_near(s, &s->sample_x)))
            report_singular_events(s, &s->sample_x, 0);
    }
    if (n > 1 || !is_current) {
        const cardan_status status = compute_conditioning_near(s, &s->x);
        if (!cd_conditioning_is_known(system, status)) return is_current ? CARDAN_OK : status;
    }
    report_singular_events(s, &s->x, 0);
    schedule_next_check(s);
    return CARDAN_OK;
}

// ---- monitor

// Drivers of a callback are unknown at other times.
static bool applies(const cd_simulation* s)
{
    return s->system.has_constraints && !(s->is_prescribed && s->run.driver_callback);
}

static void layout(cd_simulation* s, cd_arena* arena, void* work)
{
    (void)work;
    cd_conditioning_layout(&s->system, arena);
    cd_singular_limit_layout(&s->system, arena);
    cd_singular_events_layout(&s->system, arena, &s->singularity.events);
    cd_singular_standstill_layout(&s->system, arena, &s->singularity.standstill);
}

static void reset(cd_simulation* s)
{
    cd_conditioning_reset(&s->system);
    cd_singular_limit_reset(&s->system);
}

// Start with the fallback integrator near a singular configuration; windows of regularized methods are checked
// separately.
static void prepare_first_step(cd_simulation* s)
{
    if (!s->system.data->settings.near_singular) return;
    if (s->integrator->is_regularized) {
        reset(s);
        cd_conditioning_at(&s->system, &s->x);
    } else
        cd_fallback_integrator_enter(s, CARDAN_OK);
}

static cardan_status start(cd_simulation* s, void* work, cd_start_reason reason)
{
    (void)work;
    if (reason == CD_START_MEMORY) reset(s);
    if (reason == CD_START_STATE && !cd_simulation_set_state(s, &s->x)) cd_singular_limit_check_start(&s->system);
    if (reason == CD_START_STEPS) prepare_first_step(s);
    if (reason != CD_START_INTEGRATOR) s->singularity.unchecked_displacement = 0;
    if (reason == CD_START_VELOCITY_JUMP || reason == CD_START_INPUT)
        cd_singular_events_reset(&s->singularity.events, &s->system, &s->x);
    return CARDAN_OK;
}

static cd_verdict check_stabilized(cd_simulation* s, void* work)
{
    (void)work;
    cd_singularity* singularity = &s->singularity;
    if (s->is_prescribed) {
        singularity->velocity_bend_max = fmax(singularity->velocity_bend_max, s->step.velocity_bend);
        report_singular_events(s, &s->x, 0);
        if (singularity->events.phase == CD_PHASE_REGULAR) singularity->velocity_bend_max = 0;
        return CD_VERDICT_CONTINUE;
    }
    s->step.status = check_step(s, s->step.from);
    if (!s->step.status) return CD_VERDICT_CONTINUE;
    cd_fail_run(s, s->step.status);
    return CD_VERDICT_ABORT;
}

// Steps become ever shorter near a singular configuration: report it.
static cardan_status fail_stalled(cd_simulation* s)
{
    char                loops[160];
    const cardan_status status = cd_set_state_reported(s, &s->x);
    if (status) return status;
    if (cd_is_beyond_workspace(&s->system))
        return cd_fail_driver_limit(s->system.data, CARDAN_NOT_CONVERGED, s->report);
    cd_name_singular_loops(&s->singularity.events, &s->system, 0, s->system.conditioning.row, loops, sizeof loops,
                           NULL);
    return cd_fail_stalled_at_singularity(&s->system, s->x.t, loops, s->report);
}

// Exchange the integrator if it is stalled near a singular configuration, or if the singular configuration is passed.
static cd_verdict check_progress(cd_simulation* s, void* work)
{
    (void)work;
    if (!cd_singular_events_is_stalled(&s->singularity.events, &s->system, s->step.from, s->x.t))
        return !s->summary->stop_condition_met && cd_fallback_integrator_update(s, s->x.t - s->step.from)
                   ? CD_VERDICT_FALL_BACK
                   : CD_VERDICT_CONTINUE;
    if (cd_fallback_integrator_enter(s, CARDAN_STEP_TOO_SMALL)) return CD_VERDICT_FALL_BACK;
    s->step.status = fail_stalled(s);
    return CD_VERDICT_ABORT;
}

static bool explain(cd_simulation* s, void* work, cd_explanation kind, cardan_status status)
{
    (void)work;
    (void)status;
    char loops[160];
    if (kind != CD_EXPLAIN_NOTE) return false;
    if (!s->integrator->is_regularized) cd_conditioning_at(&s->system, &s->x);
    if (!cd_is_near_singular(&s->system)) return false;
    cd_name_singular_loops(&s->singularity.events, &s->system, 0, s->system.conditioning.row, loops, sizeof loops,
                           NULL);
    cd_note_near_singular(&s->system, loops, s->report);
    return false;
}

static cardan_status finish(cd_simulation* s, void* work, cardan_status status)
{
    (void)work;
    const cd_regularization* r = &s->system.regularization;
    cd_warn_window_violation(&s->system, s->report);
    if (!status)
        cd_warn_large_violation(&s->output.max_violation, r->tolerance_given ? r->violation_tolerance : 0, s->report);
    return status;
}

const cd_monitor cd_monitor_singularity = {
    .applies = applies,
    .layout  = layout,
    .start   = start,
    .check   = {[CD_PHASE_STABILIZED] = check_stabilized, [CD_PHASE_OUTPUT] = check_progress},
    .explain = explain,
    .finish  = finish,
};
