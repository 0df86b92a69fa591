// SPDX-License-Identifier: BSD-3-Clause
// Simulation run: steps, output samples at their exact times, events in order of time, and the energy error.
//
// Fixed-step methods end a step at every sample time: the time to the next sample is divided into the fewest equal
// steps that are not longer than `step`. If `step` is longer than the output interval, the whole run is divided into
// equal steps, and samples in between are ends of shorter steps from the same start. Adaptive methods choose their
// steps up to the end; samples in between are dense output. Steps of all methods also end where driver functions or
// formulas are discontinuous (discontinuities.h).
//
// Constraints: the stabilization projects the end of every step, and every sample in between, onto the constraints.
// Multistep methods do not see this correction, so with them Baumgarte terms with a small factor reduce the violation
// too, and the method restarts where a violation becomes large.
#include "core/clock.h"
#include "core/check_arguments.h"
#include "dynamics/rows/constraint_direction.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/rows/curve_domain.h"
#include "explain/explain.h"
#include "simulation/events/impulse.h"
#include "simulation/simulation.h"

#include <cardan/assemble.h>

#include <math.h>
#include <stdlib.h>

static const double restart_violation_factor = 1e4; // of the tolerance: a larger violation restarts a multistep method
// Times the longest step: after this time the step size of an adaptive method has settled.
static const double settled_steps = 10;

enum { BISECTIONS = 50 }; // towards the last time with a solution

cardan_status cd_fail_run(cd_simulation* s, cardan_status status)
{
    if (status == CARDAN_STOPPED) return status;
    char loops[160];
    if (cd_driver_domain_report_failure(&s->driver_domain, s->system.data, s->x.t, status, s->report)) return status;
    const int nearly_vanished_constraint = cd_direction_monitor_find_nearly_vanished(&s->system, &s->directions);
    if (nearly_vanished_constraint != CARDAN_NONE)
        return cd_fail_vanished_direction(s->system.data, nearly_vanished_constraint, s->x.t, status, s->report);
    if (s->integrator->report_failure &&
        s->integrator->report_failure(&s->system, s->integrator_work, status, s->report))
        return status;
    cd_fail_integration(&s->system, s->integrator, s->run.start, s->run.step, status, s->report);
    if (status == CARDAN_STEP_TOO_SMALL) cd_note_chattering(&s->chattering, &s->system, s->report);
    if (s->system.has_constraints && !s->integrator->is_regularized) cd_compute_conditioning(s, &s->x);
    if (s->system.has_constraints && cd_is_near_singular(&s->system)) {
        cd_name_singular_loops(&s->singular_events, &s->system, 0, s->system.conditioning.row, loops, sizeof loops,
                               NULL);
        cd_note_near_singular(&s->system, loops, s->report);
    }
    return status;
}

// Set the Baumgarte rate after a step h. Adaptive methods start with tiny steps, so the rate follows the longest step
// so far, after some steps; a rate that followed the step size down would force ever shorter steps.
static void adjust_baumgarte_rate(cd_simulation* s, double h)
{
    const cd_stabilization* stabilization = s->stabilization;
    double                  part          = stabilization->baumgarte_factor;
    if (s->integrator->is_multistep && (stabilization->correct || part > 0)) part = 0.1;
    s->longest_step = fmax(s->longest_step, h);
    if (part == 0) return;
    if (s->system.project_velocity_each_evaluation)
        s->system.velocity_relaxation_rate = part / s->longest_step;
    else if (stabilization->baumgarte_factor > 0 && s->run.baumgarte_rate > 0)
        cd_set_baumgarte_rate(&s->system, s->run.baumgarte_rate);
    else if (!s->integrator->is_adaptive || s->x.t - s->run.start > settled_steps * s->longest_step)
        cd_set_baumgarte_rate(&s->system, part / s->longest_step);
}

// Record the energy error between samples, at ends of steps, at most a thousand times per run.
static cardan_status record_energy(cd_simulation* s)
{
    if (s->x.t - s->energy.last_t < 1e-3 * (s->run.end - s->run.start)) return CARDAN_OK;
    const cardan_status status = cd_simulation_set_state(s, &s->x);
    if (status) return cd_fail_run(s, status);
    cd_energy_monitor_update(&s->energy, cardan_energy(s->system.data), s->summary->energy_start,
                             s->x.z[s->system.nz - 1], s->x.t);
    return CARDAN_OK;
}

cardan_status cd_start_integrator(cd_simulation* s)
{
    if (s->run.end - s->x.t <= cd_min_step(&s->system, s->x.t)) s->x.t = s->run.end;
    if (s->x.t == s->run.end) return CARDAN_OK;
    cd_generated_check_schedule(s);
    const cardan_status status = s->integrator->start(&s->system, s->integrator_work, &s->x);
    return status ? cd_fail_run(s, status) : CARDAN_OK;
}

static double step_limit(const cd_simulation* s)
{
    const double rotation_limit = s->x.t + cd_winding_step_limit(s),
                 discontinuity  = cd_discontinuity_step_limit(&s->discontinuities, s->x.t);
    if (s->integrator->is_adaptive) return fmin(fmin(s->run.end, rotation_limit), discontinuity);
    const double t_due        = fmin(cd_sample_time(&s->run, s->next_sample), discontinuity);
    const double steps        = ceil((t_due - s->x.t) / s->run.step - 1e-9),
                 window_steps = s->integrator->is_regularized ? s->run.window : 1;
    // Windows end at sample times, but not at every one if the output interval is short: a single step does not see
    // enough of a violation to remove it.
    const long sample_ahead = (long)floor(
        (s->x.t - s->run.start + fmin(window_steps, CD_WINDOW_STEPS_MIN) * s->run.step) / s->run.output_interval +
        1e-9);
    if (window_steps == 1 && s->run.step > s->run.output_interval)
        return fmin(rotation_limit, cd_long_step_end(&s->run, s->x.t, discontinuity));
    if (window_steps > 1 && sample_ahead > s->next_sample)
        return fmin(cd_sample_time(&s->run, sample_ahead < s->last_sample ? sample_ahead : s->last_sample),
                    discontinuity);
    return fmin(rotation_limit, steps > window_steps ? s->x.t + window_steps * (t_due - s->x.t) / steps : t_due);
}

// Project the end of the step onto the constraints. *restart: the violation of a multistep method was large.
static cardan_status stabilize_step(cd_simulation* s, double h, bool* restart)
{
    *restart = false;
    if (!s->system.has_constraints) return CARDAN_OK;
    s->needs_projection = s->system.project_at_step_start && !s->system.data->near_singular;
    if (s->needs_projection) return cd_count_winding(s, h);
    if (s->integrator->is_adaptive) adjust_baumgarte_rate(s, h);
    if (s->integrator->is_multistep && s->stabilization->correct) {
        double              violation;
        const cardan_status status = cd_simulation_set_state(s, &s->x);
        if (status) return cd_fail_run(s, status);
        cd_scaled_violations(s->system.data, &violation, NULL);
        // positions are not projected then
        *restart =
            violation > restart_violation_factor * s->run.tolerance && !s->system.project_velocity_each_evaluation;
    }
    const cardan_status status = cd_stabilize(s, &s->x, NULL);
    s->projection_failed       = status != CARDAN_OK;
    return status ? status : cd_count_winding(s, h);
}

// End the run, or activate the fallback integrator, if steps near a singular configuration become ever shorter.
static cardan_status check_progress(cd_simulation* s, double from)
{
    char loops[160];
    if (!s->system.has_constraints || !cd_singular_events_is_stalled(&s->singular_events, &s->system, from, s->x.t))
        return CARDAN_OK;
    if (cd_fallback_integrator_enter(s, CARDAN_STEP_TOO_SMALL)) return cd_start_integrator(s);
    const cardan_status status = cd_simulation_set_state(s, &s->x);
    if (status) return cd_fail_run(s, status);
    if (cd_is_beyond_workspace(&s->system))
        return cd_fail_driver_limit(s->system.data, CARDAN_NOT_CONVERGED, s->report);
    cd_name_singular_loops(&s->singular_events, &s->system, 0, s->system.conditioning.row, loops, sizeof loops, NULL);
    return cd_fail_stalled_at_singularity(&s->system, s->x.t, loops, s->report);
}

// Check the switching functions, also at times of discontinuities.
static cardan_status check_chattering(cd_simulation* s)
{
    if (s->chattering.count == 0 || s->summary->stop_condition_met) return CARDAN_OK;
    const cardan_status status = cd_simulation_set_state(s, &s->x);
    if (status) return cd_fail_run(s, status);
    return cd_chattering_monitor_check(&s->chattering, &s->system, s->integrator->is_adaptive, s->x.t, s->report);
}

// Apply the velocity jump of a driver function at x.
static cardan_status apply_velocity_jump(cd_simulation* s, bool near_singular)
{
    double              work;
    const cardan_status status = cd_apply_impulse(&s->system, &s->x, &work, s->report);
    if (status) return status;
    if (near_singular) cd_warn_impulse_near_singular(s->x.t, s->report);
    s->needs_projection = false;
    cd_singular_events_reset(&s->singular_events, &s->system, &s->x);
    return CARDAN_OK;
}

// Cross the discontinuity at x. Samples at the time of a discontinuity have the values after it. A violation that was
// deferred to the next step is removed before, however short that step is.
static cardan_status cross_discontinuity(cd_simulation* s)
{
    cardan_status status = CARDAN_OK;
    if (s->discontinuities.count == 0 || s->summary->stop_condition_met) return CARDAN_OK;
    const bool                  near_singular = cd_is_near_singular(&s->system);
    const cd_discontinuity_kind crossed =
        cd_discontinuity_cross(&s->discontinuities, cd_min_step(&s->system, s->x.t), &s->x.t);
    if (crossed == CD_DISCONTINUITY_NONE) return CARDAN_OK;
    if (crossed == CD_DISCONTINUITY_VELOCITY)
        status = apply_velocity_jump(s, near_singular);
    else if (s->needs_projection)
        status = cd_stabilize_reported(s, &s->x);
    if (status || (status = cd_output_samples(s, s->x.t)) || (status = cd_resume_winding_count(s))) return status;
    return cd_start_integrator(s);
}

// ---- steps that end where no solution exists

// Find the constraint whose direction is lost at x or within the step to it.
static cardan_status find_vanished_direction(cd_simulation* s, const cd_ode_state* x, int* vanished_constraint)
{
    *vanished_constraint = CARDAN_NONE;
    if (s->directions.count == 0) return CARDAN_OK;
    const cardan_status status = cd_simulation_set_state(s, x);
    if (!status) *vanished_constraint = cd_direction_monitor_find_vanished(&s->system, &s->directions);
    return status;
}

// Compute the state at a time inside the last step, projected, into sample_x; returns whether it exists.
static bool is_state_valid_at(cd_simulation* s, double t, int* vanished_constraint)
{
    *vanished_constraint = CARDAN_NONE;
    if (s->integrator->dense_output(&s->system, s->integrator_work, t, &s->sample_x) ||
        find_vanished_direction(s, &s->sample_x, vanished_constraint))
        return false;
    return *vanished_constraint == CARDAN_NONE && cd_stabilize(s, &s->sample_x, NULL) == CARDAN_OK;
}

// The last step ends where no solution exists: accept it up to the last time with a solution, with its samples and
// events, and report the failure.
static cardan_status bisect_to_last_valid(cd_simulation* s, double from, cardan_status status, int vanished_constraint)
{
    double t_valid = from, t_invalid = s->x.t;
    int    vanished_at_invalid = vanished_constraint;
    for (int i = 0; i < BISECTIONS; ++i) {
        const double t = t_valid + (t_invalid - t_valid) / 2;
        if (!(t > t_valid && t < t_invalid) || t_invalid - t_valid < cd_min_step(&s->system, t_valid)) break;
        if (is_state_valid_at(s, t, &vanished_constraint))
            t_valid = t;
        else
            t_invalid = t, vanished_at_invalid = vanished_constraint;
    }
    if (t_valid > from && is_state_valid_at(s, t_valid, &vanished_constraint)) {
        cd_ode_state_copy(&s->system, &s->sample_x, &s->x);
        s->needs_projection        = false;
        const cardan_status before = cd_output_events_and_samples(s, from);
        // restarted earlier by an event
        if (before || s->summary->stop_condition_met || s->x.t < t_valid) return before;
        s->summary->t = t_valid;
    }
    if (vanished_at_invalid != CARDAN_NONE)
        return cd_fail_vanished_direction(s->system.data, vanished_at_invalid, t_invalid, status, s->report);
    if (cd_driver_domain_report_failure(&s->driver_domain, s->system.data, t_valid, status, s->report)) return status;
    const cardan_status status_at_invalid =
        s->integrator->dense_output(&s->system, s->integrator_work, t_invalid, &s->sample_x);
    if (status_at_invalid) return cd_fail_run(s, status_at_invalid);
    const cardan_status reported =
        s->stabilization->correct
            ? s->stabilization->correct(&s->system, s->stabilization_work, &s->sample_x, s->report)
            : CARDAN_OK;
    if (reported) return reported;
    if (s->system.data->constraints.ndriven > 0) return cd_fail_driver_limit(s->system.data, status, s->report);
    return cd_fail_large_violation(&s->system, s->integrator, t_invalid, status, s->report);
}

// Take a step, with the fallback integrator if necessary. *done: the remaining time is below the smallest step.
static cardan_status try_step(cd_simulation* s, double limit, bool* done)
{
    cardan_status status = s->integrator->step(&s->system, s->integrator_work, limit, &s->x);
    if (!status || !cd_fallback_integrator_enter(s, status)) return status;
    status = cd_start_integrator(s);
    *done  = s->x.t == s->run.end;
    return status || *done ? status : s->integrator->step(&s->system, s->integrator_work, limit, &s->x);
}

// Return to the start of the last step, where winding numbers were counted, and restart the integrator there.
static cardan_status restart_step(cd_simulation* s, double from)
{
    const cardan_status status = s->integrator->dense_output(&s->system, s->integrator_work, from, &s->sample_x);
    if (status) return status;
    cd_ode_state_copy(&s->system, &s->sample_x, &s->x);
    s->x.t = from;
    ++s->system.rejected_steps;
    return cd_start_integrator(s);
}

static cardan_status take_step(cd_simulation* s, double limit, bool* done)
{
    const double  from   = s->x.t;
    cardan_status status = try_step(s, limit, done);
    while (!status && !*done && cd_step_rotates_too_far(s, from)) {
        const double h = s->x.t - from;
        status         = restart_step(s, from);
        if (!status) status = try_step(s, from + h / 2, done);
    }
    return status;
}

static cardan_status advance_simulation(cd_simulation* s)
{
    cd_ode_system* system = &s->system;
    const double   from = s->x.t, limit = step_limit(s);
    if (s->system.has_constraints && !s->integrator->is_adaptive) adjust_baumgarte_rate(s, limit - from);
    bool          done   = false;
    cardan_status status = take_step(s, limit, &done);
    if (status) return cd_fail_run(s, status);
    if (done) return CARDAN_OK;
    ++s->summary->steps;
    bool restart;
    int  vanished_constraint;
    s->projection_failed = false;
    status               = find_vanished_direction(s, &s->x, &vanished_constraint);
    if (status) return cd_fail_run(s, status);
    if (vanished_constraint != CARDAN_NONE)
        return bisect_to_last_valid(s, from, CARDAN_NOT_CONVERGED, vanished_constraint);
    cd_direction_monitor_accept(&s->directions);
    status = stabilize_step(s, s->x.t - from, &restart);
    if (s->projection_failed) return bisect_to_last_valid(s, from, status, CARDAN_NONE);
    if (!status && system->has_constraints) {
        s->velocity_scale = cd_velocity_scale(system, s->x.z);
        status            = cd_check_step_singularities(s, from);
        if (!status) status = cd_check_violation_growth(s, s->x.t - from);
        if (status) return cd_fail_run(s, status);
    }
    const bool check_due     = !status && cd_generated_check_is_due(s);
    const long sample_before = s->next_sample;
    if (check_due) status = cd_generated_check_state(s, &s->x);
    if (!status) status = cd_output_events_and_samples(s, from);
    if (!status && (check_due || s->next_sample > sample_before || s->events.count > 0))
        status = cd_resume_winding_count(s);
    if (!status && check_due && !s->summary->stop_condition_met) cd_checkpoint_save(s, &s->x, s->next_sample);
    if (!status) status = check_progress(s, from);
    if (!status) status = check_chattering(s);
    if (!status && !s->summary->stop_condition_met) status = record_energy(s);
    if (!status && !s->summary->stop_condition_met) s->summary->t = s->x.t;
    if (!status && !s->summary->stop_condition_met && (cd_fallback_integrator_update(s, s->x.t - from) || restart))
        status = cd_start_integrator(s);
    if (!status) status = cross_discontinuity(s);
    if (status) return status;
    if (!s->summary->stop_condition_met) s->summary->t = s->x.t;
    if (!system->progress_callback) return CARDAN_OK;
    system->progress_t           = s->summary->t;
    system->progress_evaluations = 0;
    return system->progress_callback(system->user, system->progress_t) ? CARDAN_OK : CARDAN_STOPPED;
}

static cardan_status run_simulation(cd_simulation* s)
{
    cardan_status status = cd_set_initial_state(s);
    if (!status) cd_check_start_conditioning(s);
    if (!status) status = cd_output_samples(s, s->x.t);
    if (!status && s->events.corners.count > 0 && !(status = cd_simulation_set_state(s, &s->x)))
        status = cd_corners_assign_segments(&s->system, &s->events.corners, s->report);
    if (status) return status;
    if (s->events.corners.count > 0) cd_warn_beyond_curve_end(s->system.data, NULL, s->report);
    if (cd_events_reset(&s->events, &s->x)) {
        cd_ode_state_copy(&s->system, &s->x, &s->events.x);
        s->summary->stop_condition_met = true;
        return cd_report_event(s, &s->events.function[s->events.count - 1]);
    }
    int vanished_constraint;
    if ((status = find_vanished_direction(s, &s->x, &vanished_constraint))) return cd_fail_run(s, status);
    if (vanished_constraint != CARDAN_NONE)
        return cd_fail_vanished_direction(s->system.data, vanished_constraint, s->x.t, CARDAN_INCONSISTENT, s->report);
    cd_direction_monitor_accept(&s->directions);
    cd_note_dense_jacobian(&s->system, s->integrator, s->report);
    cd_prepare_singular_start(s);
    if ((status = cd_start_winding_count(s))) return status;
    cd_checkpoint_save(s, &s->x, s->next_sample);
    for (;;) {
        status = cd_start_integrator(s);
        while (s->x.t < s->run.end && !s->summary->stop_condition_met && !status) status = advance_simulation(s);
        if (!status && !s->summary->stop_condition_met) status = cd_output_samples(s, s->x.t);
        if (!cd_generated_check_needs_restart(s, status)) return status;
        cd_checkpoint_restore(s, status);
        if ((status = cd_start_winding_count(s))) return status;
    }
}

static void finish_summary(cd_simulation* s, cardan_status status, double began)
{
    cardan_run_summary* summary    = s->summary;
    summary->status                = status;
    summary->rejected_steps        = s->system.rejected_steps;
    summary->evaluations           = s->system.evaluations;
    summary->generated_evaluations = s->system.generated_evaluations;
    summary->jacobians             = s->system.jacobians;
    summary->generated_jacobians   = s->system.generated_jacobians;
    summary->jacobian_wall_time    = s->system.jacobian_wall_time;
    summary->steps += s->system.extra_steps;
    summary->regularization = s->system.regularization.result;
    summary->energy_error =
        s->system.data ? cd_energy_monitor_relative_error(&s->energy, s->system.data->m, s->system.data->length_scale)
                       : 0;
    summary->wall_time = cd_clock_wall() - began;
}

// With Baumgarte terms, redundant rows are inconsistent by the violation: a compliant row satisfies the mean of
// redundant rows, so errors below the violation do not decrease with the tolerance. The energy error is an estimate of
// them.
static void warn_compliant_rows(const cd_simulation* s, const cardan_data* data)
{
    const double tolerances_max = 30; // tolerances: runs without this effect stay below
    if (!(data->formulation->properties & CD_COMPLIANT_ROWS) || !s->stabilization ||
        !(s->stabilization->baumgarte_factor > 0))
        return;
    if (!s->integrator->is_adaptive || s->system.conditioning.rank_deficiency_generic <= 0) return;
    if (!(s->summary->energy_error > tolerances_max * s->system.tolerance)) return;
    cardan_warn(s->report, CARDAN_CODE_ENERGY_ERROR, cardan_location_none(),
                "the run is accurate to about %.1g, by its energy error, not to the tolerance of %.1g: constraints of "
                "'%s' are redundant, and '%s' does not satisfy them exactly with stabilization '%s'; use stabilization "
                "'projection', or another formulation",
                s->summary->energy_error, s->system.tolerance, data->m->view.name, data->formulation->name,
                s->stabilization->name);
}

cardan_status cardan_simulate(cardan_data* data, const cardan_run_settings* run, cardan_run_summary* summary,
                              cardan_report* report)
{
    cardan_run_summary unused;
    if (!summary) summary = &unused;
    *summary = (cardan_run_summary){.status = CARDAN_BAD_USAGE};
    CD_REQUIRE_POINTER(data, "data", report);
    CD_REQUIRE_POINTER(run, "run", report);
    const double  began = cd_clock_wall();
    cd_simulation s = {.summary = summary, .report = report, .violation_tolerance_given = run->violation_tolerance > 0};
    *summary        = (cardan_run_summary){.t = run->start};

    cardan_status status = cd_settings_complete(run, &s.run, report);
    if (!status) status = cd_settings_check(data, run, report);
    if (!status) status = cd_stabilization_supports(cd_stabilization_at(s.run.stabilization), data, report);
    if (!status) status = cd_driver_domain_find(&s.driver_domain, data, &s.run, report);
    if (!status) status = cd_discontinuity_times_find(&s.discontinuities, &s.driver_domain, data, &s.run, report);
    if (!status) {
        s.last_sample = cd_last_sample(&s.run);
        cd_solver_history_reset(data);
        if (!s.run.driver_callback) cd_warn_driven_curves(data, s.run.start, s.run.end, false, report);
        if (cd_simulation_prepare(&s, data))
            status = cd_driver_domain_final_status(&s.driver_domain, data, run_simulation(&s),
                                                   summary->stop_condition_met, report);
        else
            status = cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                                 "out of memory for the run");
        cd_fallback_integrator_finish(&s);
        if (s.integrator_work && s.integrator->finish) s.integrator->finish(s.integrator_work);
    }
    free(s.integrator_work);
    free(s.stabilization_work);
    cd_driver_domain_release(&s.driver_domain);
    cd_discontinuity_times_release(&s.discontinuities);
    if (s.events.corners.corner) cd_corners_clear_segments(&s.system, &s.events.corners);
    data->baumgarte_rate = 0;
    data->frozen_stops   = NULL;
    data->near_singular  = false;
    data->forces_valid   = false;
    cd_arena_release(&s.arena);
    cd_note_stiffness(&s.system, report);
    if (!status) cd_warn_chattering(&s.chattering, &s.system, report);
    cd_chattering_monitor_close(&s.chattering);
    cd_warn_window_violation(&s.system, report);
    if (!status)
        cd_warn_large_violation(&s.max_violation, s.violation_tolerance_given ? s.run.violation_tolerance : 0, report);
    finish_summary(&s, status, began);
    if (!status) {
        warn_compliant_rows(&s, data);
        const double tolerance = s.integrator->is_adaptive ? s.system.tolerance : 0;
        return summary->status = cd_report_energy_error(&s.energy, summary->energy_error, tolerance, report);
    }
    if (status != CARDAN_STOPPED && summary->samples > 0 && data->constraints.ndriven == 0)
        cd_note_energy_error(summary->energy_error, s.integrator->is_adaptive, report);
    return status;
}
