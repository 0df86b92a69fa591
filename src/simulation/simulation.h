// SPDX-License-Identifier: BSD-3-Clause
// State of a run (simulate.c, simulation_object.c, prescribed_motion.c).
#pragma once

#include "simulation/checkpoint.h"
#include "simulation/events/discontinuities.h"
#include "simulation/events/driver_domain.h"
#include "simulation/events/events.h"
#include "simulation/events/look_ahead.h"
#include "simulation/monitors/energy_monitor.h"
#include "simulation/monitors/monitor.h"
#include "simulation/simulation_errors.h"
#include "simulation/simulation_settings.h"
#include "simulation/singularity/fallback_integrator.h"
#include "simulation/singularity/singular_events.h"
#include "simulation/singularity/singular_standstill.h"
#include "simulation/stabilization/stabilization.h"

// The step under way.
typedef struct cd_step {
    double        from;             // [s] its start
    bool          is_over;          // nothing of it remains to be done
    bool          is_pending;       // it ends behind the time to advance to: its output beyond that time follows later
    bool          needs_restart;    // the integrator restarts at its end
    bool          needs_projection; // x is not yet projected onto the constraints
    bool          data_moved;       // samples or comparisons have moved the data away from x
    double        longest;          // [s] longest step so far
    double        velocity_scale;   // [1/s] largest scaled velocity at x
    double        velocity_bend;    // prescribed motion: relative velocity change that accelerations do not explain
    double        t_invalid;        // [s] time at which no solution exists
    cardan_status status;           // of the failure that a monitor has reported
} cd_step;

// Singular configurations of a run, for the monitor, the stabilization and the fallback integrator.
typedef struct cd_singularity {
    cd_singular_events     events;
    cd_singular_standstill standstill;
    bool                   branch_switch_reported; // a warning about a branch switch is given once
    bool                   window_over_tolerance;  // the last window exceeds the violation tolerance
    double                 step_sigma_min_sq_rel;  // smallest sigma_min_sq_rel checked in the last step
    double                 unchecked_displacement; // [rad, length_scale] until the next check inside a step
    double                 velocity_bend_max; // largest velocity bend since the last well-conditioned configuration
} cd_singularity;

// Output samples.
typedef struct cd_output {
    long               next_sample, last_sample;
    cd_max_violation   max_violation; // over all samples
    double             searched;      // [s] events of the step up to this time are processed
    double             reached;       // pending step: [s] its output up to this time is done,
    cd_event_function* found;         // and this event was found behind it, or none
} cd_output;

// Advancing piece by piece (simulation_object.c).
typedef struct cd_advance {
    double        target;         // [s] time to advance to; output ends there
    bool          needs_start;    // the integrator starts at x before the next step
    cardan_status status;         // of the last call; after a failure the simulation must be restarted
    unsigned long input_revision; // of the data, for which x and the step behind it are computed
    cd_ode_state  valid;          // end of the last completed step
    cd_ode_state  current;        // state at the time reached: in a pending step of a fixed-step method, or as read
} cd_advance;

typedef struct cd_simulation {
    cardan_run_settings     run;           // complete settings
    bool                    is_prescribed; // kinematic analysis: the drivers prescribe all motion
    cd_ode_system           system;
    const cd_integrator*    integrator;
    void*                   integrator_work;
    cd_fallback_integrator  fallback;
    const cd_stabilization* stabilization;
    void*                   stabilization_work;
    cd_events               events;
    cd_look_ahead           look_ahead;
    cd_driver_domain        driver_domain;
    cd_discontinuity_times  discontinuities;
    cd_active_monitors      monitors;
    cd_singularity          singularity;
    cd_energy_monitor       energy;
    cd_ode_state            x; // end of the last step
    cd_step                 step;
    cd_ode_state            sample_x; // state of a sample, or of a check inside a step
    double*                 rate;     // (nz) at sample_x
    cd_output               output;
    cd_advance              advance;
    cd_checkpoint           checkpoint; // if a monitor needs it
    cardan_run_summary*     summary;
    cardan_report*          report;
    cd_arena                arena;
} cd_simulation;

// Allocate memory and initialize all parts of a run; `run` are the settings given. Fails if memory is
// exhausted.
cardan_status cd_simulation_prepare(cd_simulation* s, cardan_data* data, const cardan_run_settings* run);
// Initialize all parts again, without allocation: nothing of the run so far is kept.
void cd_simulation_reset(cd_simulation* s);
// Release all memory, also after a failure; the data become independent of the run. Returns the final status.
cardan_status cd_simulation_close(cd_simulation* s, cardan_status status);

// Set the data to x. The second reports a failure, and stores it in step.status.
static inline cardan_status cd_simulation_set_state(cd_simulation* s, const cd_ode_state* x)
{
    return cd_data_set_ode_state(&s->system, x);
}
cardan_status cd_set_state_reported(cd_simulation* s, const cd_ode_state* x);

// ---- simulate.c

// Set the initial state, output the first sample and prepare the first step.
cardan_status cd_simulation_start(cd_simulation* s);
// Prepare the first step from x, up to which everything is output.
cardan_status cd_simulation_continue(cd_simulation* s);
// [s] Time up to which the run is computed and output.
double cd_time_reached(const cd_simulation* s);
// Advance to time t, at most the end of the run. The step that ends behind t is completed by the next call.
cardan_status cd_simulation_advance(cd_simulation* s, double t);

// ---- step_control.c

// Start the integrator at x without history. A remaining time below the smallest step is skipped.
cardan_status cd_start_integrator(cd_simulation* s);
// [s] Time at which the next step must end.
double cd_step_limit(const cd_simulation* s);
// Take a step that all monitors accept, with the fallback integrator if necessary, shortened if necessary.
cardan_status cd_take_step(cd_simulation* s, double limit);
// Project the end of the step onto the constraints, or leave it to the next step.
cardan_status cd_stabilize_step(cd_simulation* s);
// Ask the monitors in this phase, and do what they demand.
cardan_status cd_follow_monitors(cd_simulation* s, cd_monitor_phase phase);
// Cross the discontinuity at x, if there is one.
cardan_status cd_cross_discontinuity(cd_simulation* s);

// ---- simulation_errors.c

// Report why the run ends at x; returns the status.
cardan_status cd_fail_run(cd_simulation* s, cardan_status status);
// Warn that redundant constraints limit the accuracy of compliant rows with Baumgarte terms.
void cd_warn_compliant_rows(const cd_simulation* s);

// ---- initial_state.c

cardan_status cd_set_initial_state(cd_simulation* s);

// ---- stabilization/stabilize_step.c

// Set the Baumgarte rate for a step h.
void cd_adjust_baumgarte_rate(cd_simulation* s, double h);
// Restart a multistep method at the end of the step if the violation at x is large.
cardan_status cd_check_multistep_violation(cd_simulation* s);
// Project x onto the constraints by the selected stabilization. Without a report a failure is silent.
cardan_status cd_stabilize(cd_simulation* s, cd_ode_state* x, cardan_report* report);
// The same, with a report; near the end of the driver domain the failure is attributed to the driver.
cardan_status cd_stabilize_reported(cd_simulation* s, cd_ode_state* x);

// ---- run_output.c

// The sample of time t; the data are at x, with accelerations.
cardan_sample cd_sample_at(const cd_simulation* s, const cd_ode_state* x, double t);
// Output the sample of time t; x is the state at t up to round-off.
cardan_status cd_output_sample(cd_simulation* s, cd_ode_state* x, double t);
// Output the samples of the last step up to time t.
cardan_status cd_output_samples(cd_simulation* s, double t);
cardan_status cd_report_event(cd_simulation* s, const cd_event_function* function);
// Process events and samples of the last step in order of time.
cardan_status cd_output_events_and_samples(cd_simulation* s);

// ---- monitor_event.c

// Count and report an event without a state of its own.
void cd_report_monitor_event(cd_simulation* s, const cardan_event* event);

// ---- singularity_monitor.c

// Return whether a state inside the last step may be near a singular configuration.
bool cd_may_be_near_singular(const cd_simulation* s);
// Compute accelerations at a sample x into system.a. Near singular configurations by the limit, as in steps; a
// projection there also changes x.
cardan_status cd_accelerate_sample(cd_simulation* s, cd_ode_state* x);

// ---- fallback_integrator.c

bool cd_fallback_integrator_prepare(cd_simulation* s); // false if memory is exhausted
// Return to the integrator of the settings, and forget that it was replaced.
void cd_fallback_integrator_reset(cd_simulation* s);
// Called if no step was found from x: returns true near a singular configuration, after switching to the fallback
// integrator.
bool cd_fallback_integrator_enter(cd_simulation* s, cardan_status status);
// Called after a step h: returns true if the integrator changed and must restart, because steps near a singular
// configuration become very short, or because x is well-conditioned again.
bool cd_fallback_integrator_update(cd_simulation* s, double h);
void cd_fallback_integrator_finish(cd_simulation* s);
