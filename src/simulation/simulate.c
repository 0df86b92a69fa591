// SPDX-License-Identifier: BSD-3-Clause
// Simulation run: steps, output samples at their exact times, and events in order of time. One step:
//
//   look ahead      discontinuities of formulas of time, in a run without end   events/look_ahead.c
//   limit           next output (fixed step), end, discontinuity, monitors      step_control.c
//   step            the integrator, from x to at most the limit                 step_control.c, integrators/
//   stabilization   positions and velocities back onto the constraints          step_control.c, stabilization/
//   monitors        conditioning, violations, energy, generated code ...        monitors/
//   events, output  located in the step, in order of time; samples in between   run_output.c, events/
//   discontinuity   of forces or drivers at the end of the step                 step_control.c
#include "dynamics/rows/curve_domain.h"
#include "simulation/events/look_ahead.h"
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

// The next step up to its end, without its output.
static cardan_status step_forward(cd_simulation* s)
{
    cardan_status status = cd_look_ahead_continue(s);
    if (!status) status = cd_take_step(s, cd_step_limit(s));
    if (!status && !s->step.is_over) status = cd_stabilize_step(s);
    return status || s->step.is_over ? status : cd_follow_monitors(s, CD_PHASE_STABILIZED);
}

static cardan_status advance(cd_simulation* s)
{
    cardan_status status = s->step.is_pending ? CARDAN_OK : step_forward(s);
    if (status || s->step.is_over) return status;
    status = cd_output_events_and_samples(s);
    if (status || s->step.is_pending) return status;
    status = cd_follow_monitors(s, CD_PHASE_OUTPUT);
    if (!status) status = cd_cross_discontinuity(s);
    if (!status) cd_ode_state_copy(&s->system, &s->x, &s->advance.valid);
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

// Begin at x; with_sample: the sample at x is output.
static cardan_status begin(cd_simulation* s, bool with_sample)
{
    cd_ode_state_copy(&s->system, &s->x, &s->advance.valid);
    cardan_status status = cd_monitors_start(s, CD_START_STATE);
    if (!status && with_sample) status = cd_output_samples(s, s->x.t);
    if (!status) status = start_events(s);
    if (status || s->summary->stop_condition_met) return status;
    cd_note_dense_jacobian(&s->system, s->integrator, s->report);
    return cd_monitors_start(s, CD_START_STEPS);
}

cardan_status cd_simulation_start(cd_simulation* s)
{
    s->advance.target          = s->run.start;
    const cardan_status status = cd_set_initial_state(s);
    return status ? status : begin(s, true);
}

cardan_status cd_simulation_continue(cd_simulation* s)
{
    s->advance.target = s->x.t;
    return begin(s, false);
}

double cd_time_reached(const cd_simulation* s) { return s->step.is_pending ? s->output.reached : s->x.t; }

cardan_status cd_simulation_advance(cd_simulation* s, double t)
{
    s->advance.target = t;
    if (s->summary->stop_condition_met) return CARDAN_OK;
    for (;;) {
        cardan_status status = s->advance.needs_start ? cd_start_integrator(s) : CARDAN_OK;
        while (!status && !s->summary->stop_condition_met && cd_time_reached(s) < t) status = advance(s);
        if (!status && !s->summary->stop_condition_met) status = cd_output_samples(s, s->x.t);
        if (!cd_monitors_recover(s, status)) return status;
        if ((status = cd_monitors_start(s, CD_START_CHECKPOINT))) return status;
        s->advance.needs_start = true;
    }
}
