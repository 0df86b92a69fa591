// SPDX-License-Identifier: BSD-3-Clause
// Simulation run: steps, output samples at their exact times, and events in order of time. One step:
//
//   limit           next output (fixed step), end, discontinuity, monitors      step_control.c
//   step            the integrator, from x to at most the limit                 step_control.c, integrators/
//   stabilization   positions and velocities back onto the constraints          step_control.c, stabilization/
//   monitors        conditioning, violations, energy, generated code ...        monitors/
//   events, output  located in the step, in order of time; samples in between   run_output.c, events/
//   discontinuity   of forces or drivers at the end of the step                 step_control.c
#include "core/check_arguments.h"
#include "core/clock.h"
#include "dynamics/rows/constraint_direction.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/rows/curve_domain.h"
#include "explain/explain.h"
#include "simulation/events/impulse.h"
#include "simulation/simulation.h"

static cardan_status report_progress(cd_simulation* s)
{
    cd_ode_system* system = &s->system;
    if (!s->summary->stop_condition_met) s->summary->t = s->x.t;
    if (!system->progress.callback) return CARDAN_OK;
    system->progress.t           = s->summary->t;
    system->progress.evaluations = 0;
    return system->progress.callback(system->progress.user, system->progress.t) ? CARDAN_OK : CARDAN_STOPPED;
}

static cardan_status advance(cd_simulation* s)
{
    cardan_status status = cd_take_step(s, cd_step_limit(s));
    if (!status && !s->step.is_over) status = cd_stabilize_step(s);
    if (status || s->step.is_over) return status;
    status = cd_follow_monitors(s, CD_PHASE_STABILIZED);
    if (!status) status = cd_output_events_and_samples(s);
    if (!status) status = cd_follow_monitors(s, CD_PHASE_OUTPUT);
    if (!status) status = cd_cross_discontinuity(s);
    return status ? status : report_progress(s);
}

// Assign points on curves with corners to segments, and set the sides of all event functions. Ends the run if its stop
// condition is met already.
static cardan_status start_events(cd_simulation* s)
{
    cardan_status status = CARDAN_OK;
    if (s->events.corners.count > 0) {
        status = cd_simulation_set_state(s, &s->x);
        if (!status) status = cd_corners_assign_segments(&s->system, &s->events.corners, s->report);
        if (status) return status;
        cd_warn_beyond_curve_end(s->system.data, NULL, s->report);
    }
    if (!cd_events_reset(&s->events, &s->x)) return CARDAN_OK;
    cd_ode_state_copy(&s->system, &s->x, &s->events.x);
    s->summary->stop_condition_met = true;
    return cd_report_event(s, &s->events.function[s->events.count - 1]);
}

static cardan_status start_run(cd_simulation* s)
{
    cardan_status status = cd_set_initial_state(s);
    if (!status) status = cd_monitors_start(s, CD_START_STATE);
    if (!status) status = cd_output_samples(s, s->x.t);
    if (!status) status = start_events(s);
    if (status || s->summary->stop_condition_met) return status;
    cd_note_dense_jacobian(&s->system, s->integrator, s->report);
    return cd_monitors_start(s, CD_START_STEPS);
}

static cardan_status run_simulation(cd_simulation* s)
{
    cardan_status status = start_run(s);
    if (status || s->summary->stop_condition_met) return status;
    for (;;) {
        status = cd_start_integrator(s);
        while (s->x.t < s->run.end && !s->summary->stop_condition_met && !status) status = advance(s);
        if (!status && !s->summary->stop_condition_met) status = cd_output_samples(s, s->x.t);
        if (!cd_monitors_recover(s, status)) return status;
        if ((status = cd_monitors_start(s, CD_START_CHECKPOINT))) return status;
    }
}

static void finish_summary(const cd_ode_system* system, cardan_run_summary* summary)
{
    summary->rejected_steps        = system->statistics.rejected_steps;
    summary->evaluations           = system->statistics.evaluations;
    summary->generated_evaluations = system->statistics.generated_evaluations;
    summary->jacobians             = system->statistics.jacobians;
    summary->generated_jacobians   = system->statistics.generated_jacobians;
    summary->jacobian_wall_time    = system->statistics.jacobian_wall_time;
    summary->steps += system->statistics.extra_steps;
    summary->regularization = system->regularization.result;
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
    cd_simulation s     = {.summary = summary, .report = report};
    *summary            = (cardan_run_summary){.t = run->start};

    cardan_status status = cd_settings_complete(run, &s.run, report);
    if (!status) status = cd_settings_check(data, run, report);
    if (!status) status = cd_stabilization_supports(cd_stabilization_at(s.run.stabilization), data, report);
    if (!status) status = cd_driver_domain_find(&s.driver_domain, data, &s.run, report);
    if (!status) status = cd_discontinuity_times_find(&s.discontinuities, &s.driver_domain, data, &s.run, report);
    if (!status) {
        cd_solver_history_reset(data);
        if (!s.run.driver_callback) cd_warn_driven_curves(data, s.run.start, s.run.end, false, report);
        status = cd_simulation_prepare(&s, data, run);
        if (!status)
            status = cd_driver_domain_final_status(&s.driver_domain, data, run_simulation(&s),
                                                   summary->stop_condition_met, report);
    }
    finish_summary(&s.system, summary);
    status             = cd_simulation_close(&s, status);
    summary->status    = status;
    summary->wall_time = cd_clock_wall() - began;
    return status;
}
