// SPDX-License-Identifier: BSD-3-Clause
// Control of one step: its limit, repetitions with half the length, the fallback integrator, and steps that end where
// no solution exists.
//
// Fixed-step methods end a step at every sample time: the time to the next sample is divided into the fewest equal
// steps that are not longer than `step`. If `step` is longer than the output interval, the whole run is divided into
// equal steps, and samples in between are ends of shorter steps from the same start. Adaptive methods choose their
// steps up to the end; samples in between are dense output. Steps of all methods also end where driver functions or
// formulas are discontinuous (discontinuities.h).
#include "explain/explain.h"
#include "simulation/contact/contact_run.h"
#include "simulation/events/impulse.h"
#include "simulation/simulation.h"

#include <math.h>

enum { BISECTIONS = 50 }; // towards the last time with a solution

cardan_status cd_start_integrator(cd_simulation* s)
{
    s->advance.needs_start = false;
    if (s->run.end - s->x.t <= cd_min_step(&s->system, s->x.t)) s->x.t = s->run.end;
    if (s->x.t == s->run.end) return CARDAN_OK;
    cardan_status status = cd_monitors_start(s, CD_START_INTEGRATOR);
    if (!status) status = s->integrator->start(&s->system, s->integrator_work, &s->x);
    return status ? cd_fail_run(s, status) : CARDAN_OK;
}

double cd_step_limit(const cd_simulation* s)
{
    const double monitor_limit = s->x.t + cd_monitors_step_limit(s),
                 discontinuity = cd_discontinuity_step_limit(&s->discontinuities, s->x.t);
    if (s->integrator->is_adaptive) return fmin(fmin(s->run.end, monitor_limit), discontinuity);
    const double t_due        = fmin(cd_sample_time(&s->run, s->output.next_sample), discontinuity);
    const double steps        = ceil((t_due - s->x.t) / s->run.step - cd_count_roundoff),
                 window_steps = s->integrator->is_regularized ? s->run.window : 1;
    // Windows end at sample times, but not at every one if the output interval is short: a single step does not see
    // enough of a violation to remove it.
    const long sample_ahead = (long)floor(
        (s->x.t - s->run.start + fmin(window_steps, CD_WINDOW_STEPS_MIN) * s->run.step) / s->run.output_interval +
        cd_count_roundoff);
    if (window_steps == 1 && s->run.step > s->run.output_interval)
        return fmin(monitor_limit, cd_long_step_end(&s->run, s->x.t, discontinuity));
    if (window_steps > 1 && sample_ahead > s->output.next_sample)
        return fmin(
            cd_sample_time(&s->run, sample_ahead < s->output.last_sample ? sample_ahead : s->output.last_sample),
            discontinuity);
    return fmin(monitor_limit, steps > window_steps ? s->x.t + window_steps * (t_due - s->x.t) / steps : t_due);
}

// Take a step, with the fallback integrator if necessary. The step is over if the remaining time is below the smallest
// step.
static cardan_status try_step(cd_simulation* s, double limit)
{
    cardan_status status = s->integrator->step(&s->system, s->integrator_work, limit, &s->x);
    if (!status || !cd_fallback_integrator_enter(s, status)) return status;
    status          = cd_start_integrator(s);
    s->step.is_over = s->x.t == s->run.end;
    return status || s->step.is_over ? status : s->integrator->step(&s->system, s->integrator_work, limit, &s->x);
}

// Return to the start of the last step and restart the integrator there.
static cardan_status return_to_start(cd_simulation* s)
{
    const double        from   = s->step.from;
    const cardan_status status = s->integrator->dense_output(&s->system, s->integrator_work, from, &s->sample_x);
    if (status) return status;
    cd_ode_state_copy(&s->system, &s->sample_x, &s->x);
    s->x.t = from;
    ++s->system.statistics.rejected_steps;
    return cd_start_integrator(s);
}

// Compute the state at a time inside the last step, projected, into sample_x; returns whether it exists.
static bool is_state_valid_at(cd_simulation* s, double t, bool* invalid_by_monitor)
{
    *invalid_by_monitor = false;
    if (s->integrator->dense_output(&s->system, s->integrator_work, t, &s->sample_x)) return false;
    *invalid_by_monitor = !cd_monitors_accept_state(s, &s->sample_x);
    return !*invalid_by_monitor && cd_stabilize(s, &s->sample_x, NULL) == CARDAN_OK;
}

// Report that no solution exists at step.t_invalid; t_valid: last time with one.
static cardan_status fail_at_invalid(cd_simulation* s, double t_valid, cardan_status status, bool invalid_by_monitor)
{
    const cardan_data* d = s->system.data;
    if (invalid_by_monitor && cd_monitors_explain(s, CD_EXPLAIN_INVALID, status)) return status;
    if (cd_driver_domain_report_failure(&s->driver_domain, d, t_valid, status, s->report)) return status;
    const cardan_status status_at_invalid =
        s->integrator->dense_output(&s->system, s->integrator_work, s->step.t_invalid, &s->sample_x);
    if (status_at_invalid) return cd_fail_run(s, status_at_invalid);
    const cardan_status reported =
        s->stabilization->correct
            ? s->stabilization->correct(&s->system, s->stabilization_work, &s->sample_x, s->report)
            : CARDAN_OK;
    if (reported) return reported;
    const cardan_status squeezed =
        s->events.contacts ? cd_contact_stabilize(s->events.contacts, &s->sample_x, s->report) : CARDAN_OK;
    if (squeezed) return squeezed;
    if (d->constraints.ndriven > 0) return cd_fail_driver_limit(s->system.data, status, s->report);
    return cd_fail_large_violation(&s->system, s->integrator, s->step.t_invalid, status, s->report);
}

// The last step ends at x, where no solution exists: accept it up to the last time with a solution, or up to the time
// to advance to, with its samples and events; report the failure if it is before that time.
static cardan_status end_at_last_valid(cd_simulation* s, cardan_status status, bool invalid_by_monitor)
{
    double t_valid = s->step.from, t_invalid = s->x.t;
    bool   by_monitor;
    for (int i = 0; i < BISECTIONS; ++i) {
        const double t = t_valid + (t_invalid - t_valid) / 2;
        if (!(t > t_valid && t < t_invalid) || t_invalid - t_valid < cd_min_step(&s->system, t_valid)) break;
        if (is_state_valid_at(s, t, &by_monitor))
            t_valid = t;
        else
            t_invalid = t, invalid_by_monitor = by_monitor;
    }
    s->step.is_over             = true;
    s->step.t_invalid           = t_invalid;
    const bool is_beyond_target = t_valid >= s->advance.target && s->advance.target < s->run.end;
    if (is_beyond_target) t_valid = s->advance.target;
    if (t_valid > s->step.from && is_state_valid_at(s, t_valid, &by_monitor)) {
        cd_ode_state_copy(&s->system, &s->sample_x, &s->x);
        s->step.needs_projection   = false;
        const cardan_status before = cd_output_events_and_samples(s);
        // restarted earlier by an event
        if (before || s->summary->stop_condition_met || s->x.t < t_valid) return before;
        s->summary->t = t_valid;
        cd_ode_state_copy(&s->system, &s->x, &s->advance.valid);
        s->advance.needs_start = true;
        if (is_beyond_target) return CARDAN_OK;
    }
    return fail_at_invalid(s, t_valid, status, invalid_by_monitor);
}

cardan_status cd_take_step(cd_simulation* s, double limit)
{
    s->step.from    = s->x.t;
    s->step.is_over = s->step.needs_restart = s->step.data_moved = false;
    if (s->system.has_constraints && !s->integrator->is_adaptive) cd_adjust_baumgarte_rate(s, limit - s->x.t);
    for (;;) {
        cardan_status status = try_step(s, limit);
        if (status) return cd_fail_run(s, status);
        if (s->step.is_over) return CARDAN_OK;
        const cd_verdict verdict = cd_monitors_check(s, CD_PHASE_TAKEN);
        if (verdict != CD_VERDICT_SHORTEN) {
            ++s->summary->steps;
            return verdict == CD_VERDICT_END     ? end_at_last_valid(s, CARDAN_NOT_CONVERGED, true)
                   : verdict == CD_VERDICT_ABORT ? s->step.status
                                                 : CARDAN_OK;
        }
        limit  = s->step.from + (s->x.t - s->step.from) / 2;
        status = return_to_start(s);
        if (status) return cd_fail_run(s, status);
    }
}

cardan_status cd_stabilize_step(cd_simulation* s)
{
    cardan_status status = CARDAN_OK;
    if (!s->system.has_constraints && !s->events.contacts) return CARDAN_OK;
    s->step.needs_projection = s->system.projection.at_step_start && !s->system.data->settings.near_singular;
    if (!s->step.needs_projection) {
        if (s->integrator->is_adaptive) cd_adjust_baumgarte_rate(s, s->x.t - s->step.from);
        if (s->integrator->is_multistep && s->stabilization->correct) status = cd_check_multistep_violation(s);
        if (status) return status;
        status = cd_stabilize(s, &s->x, NULL);
        if (status) return end_at_last_valid(s, status, false);
    }
    s->step.velocity_scale = cd_velocity_scale(&s->system, s->x.z);
    return CARDAN_OK;
}

cardan_status cd_follow_monitors(cd_simulation* s, cd_monitor_phase phase)
{
    const cd_verdict verdict = cd_monitors_check(s, phase);
    if (verdict == CD_VERDICT_ABORT) return s->step.status;
    if (verdict == CD_VERDICT_RESTART) return CARDAN_STOPPED;
    if (phase != CD_PHASE_OUTPUT || s->summary->stop_condition_met) return CARDAN_OK;
    s->summary->t = s->x.t;
    return verdict == CD_VERDICT_FALL_BACK || s->step.needs_restart ? cd_start_integrator(s) : CARDAN_OK;
}

// Apply the velocity jump of a driver function at x.
static cardan_status apply_velocity_jump(cd_simulation* s, bool near_singular)
{
    double              work;
    const cardan_status status = cd_apply_impulse(&s->system, &s->x, &work, s->report);
    if (status) return status;
    if (near_singular) cd_warn_impulse_near_singular(s->x.t, s->report);
    s->step.needs_projection = false;
    return cd_monitors_start(s, CD_START_VELOCITY_JUMP);
}

// Samples at the time of a discontinuity have the values after it. A violation that was deferred to the next step is
// removed before, however short that step is.
cardan_status cd_cross_discontinuity(cd_simulation* s)
{
    cardan_status status = CARDAN_OK;
    if (s->discontinuities.count == 0 || s->summary->stop_condition_met) return CARDAN_OK;
    const bool                  near_singular = cd_is_near_singular(&s->system);
    const cd_discontinuity_kind crossed =
        cd_discontinuity_cross(&s->discontinuities, cd_min_step(&s->system, s->x.t), &s->x.t);
    if (crossed == CD_DISCONTINUITY_NONE) return CARDAN_OK;
    if (crossed == CD_DISCONTINUITY_VELOCITY)
        status = apply_velocity_jump(s, near_singular);
    else if (s->step.needs_projection)
        status = cd_stabilize_reported(s, &s->x);
    if (!status) status = cd_output_samples(s, s->x.t);
    if (!status) status = cd_monitors_start(s, CD_START_DISCONTINUITY);
    return status ? status : cd_start_integrator(s);
}
