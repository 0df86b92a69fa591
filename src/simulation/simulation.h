// SPDX-License-Identifier: BSD-3-Clause
// State of a simulation run (simulate.c).
#pragma once

#include "simulation/monitors/direction_monitor.h"
#include "simulation/monitors/chattering_monitor.h"
#include "simulation/monitors/generated_code_monitor.h"
#include "simulation/monitors/energy_monitor.h"
#include "simulation/events/events.h"
#include "simulation/simulation_errors.h"
#include "simulation/events/discontinuities.h"
#include "simulation/events/driver_domain.h"
#include "simulation/monitors/violation_growth_monitor.h"
#include "simulation/singularity/singular_events.h"
#include "simulation/singularity/singular_standstill.h"
#include "simulation/simulation_settings.h"
#include "simulation/stabilization/stabilization.h"
#include "simulation/singularity/fallback_integrator.h"

#include "dynamics/winding_numbers.h"

typedef struct cd_simulation {
    cardan_run_settings     run; // complete settings
    cd_ode_system           system;
    const cd_integrator*    integrator;
    void*                   integrator_work;
    cd_fallback_integrator  fallback;
    const cd_stabilization* stabilization;
    void*                   stabilization_work;
    cd_events               events;
    cd_singular_events      singular_events;
    cd_singular_standstill  standstill;
    cd_direction_monitor    directions;
    bool                    branch_switch_reported; // a warning about a branch switch is given once
    bool                    violation_tolerance_given, window_over_tolerance; // by the user; the last window exceeds it
    cd_max_violation        max_violation;                                    // over all samples
    cd_violation_growth     violation_growth;                                 // from step to step
    cd_ode_state            x;                                                // end of the last step
    bool                    needs_projection;                                 // x is not yet projected
    double                  velocity_scale;                                   // [1/s] largest scaled velocity at x
    double                  step_sigma_min_sq_rel;  // smallest sigma_min_sq_rel checked in the last step
    double                  unchecked_displacement; // [rad, length_scale] until the next check inside a step
    bool                    projection_failed;      // the projection of x failed; not reported yet
    bool                    has_multi_axis_joints;  // off-tree joints of several axes
    double                  uncounted_rotation;     // [rad] upper bound since winding numbers were counted
    cd_winding_numbers      winding;                // winding numbers at that time
    double                  chart_step_limit;       // [s] for a rotation by 2 rad of the fastest free body at x
    cd_ode_state            sample_x;               // state of a sample, or of a check inside a step
    double*                 rate;                   // (nz) at sample_x
    long                    next_sample, last_sample;
    cd_energy_monitor       energy;
    cd_checkpoint           checkpoint;   // if generated code is used
    double                  longest_step; // [s] so far
    cd_driver_domain        driver_domain;
    cd_discontinuity_times  discontinuities;
    cd_chattering_monitor   chattering;
    cardan_run_summary*     summary;
    cardan_report*          report;
    cd_arena                arena;
} cd_simulation;

// Allocate memory and initialize all parts of a run. Returns false if memory is exhausted.
bool cd_simulation_prepare(cd_simulation* s, cardan_data* data);

// Set the data to x.
cardan_status cd_simulation_set_state(cd_simulation* s, const cd_ode_state* x);

// ---- simulate.c

// Start the integrator at x without history. A remaining time below the smallest step is skipped.
cardan_status cd_start_integrator(cd_simulation* s);
// Report why the run ends at x; returns the status.
cardan_status cd_fail_run(cd_simulation* s, cardan_status status);

// ---- initial_state.c

cardan_status cd_set_initial_state(cd_simulation* s);
// Project x onto the constraints by the selected stabilization. Without a report a failure is silent.
cardan_status cd_stabilize(cd_simulation* s, cd_ode_state* x, cardan_report* report);
// The same, with a report; near the end of the driver domain the failure is attributed to the driver.
cardan_status cd_stabilize_reported(cd_simulation* s, cd_ode_state* x);

// ---- run_output.c

// Output the sample of time t; x is the state at t up to round-off.
cardan_status cd_output_sample(cd_simulation* s, cd_ode_state* x, double t);
// Output the samples of the last step up to time t.
cardan_status cd_output_samples(cd_simulation* s, double t);
cardan_status cd_report_event(cd_simulation* s, const cd_event_function* function);
// Process events and samples of the last step in order of time.
cardan_status cd_output_events_and_samples(cd_simulation* s, double from);

// ---- winding_monitor.c

// [s] Longest step in which no off-tree joint rotates by half a revolution.
double cd_winding_step_limit(const cd_simulation* s);
// Start counting at x from the winding numbers of the data.
cardan_status cd_start_winding_count(cd_simulation* s);
// Return whether a joint may have rotated by that much in the step from time `from` to x.
bool cd_step_rotates_too_far(cd_simulation* s, double from);
// Count winding numbers at the end of a step h.
cardan_status cd_count_winding(cd_simulation* s, double h);
// Restore the winding numbers at the end of the step, after samples and events inside it have changed the data.
cardan_status cd_resume_winding_count(cd_simulation* s);

// ---- singularity_monitor.c

// Return whether a state inside the last step may be near a singular configuration.
bool cd_may_be_near_singular(const cd_simulation* s);
// Before the first sample: check whether the run starts near a singular configuration. Before the first step: if so,
// start with the fallback integrator; for regularized methods, reset the monitors.
void cd_check_start_conditioning(cd_simulation* s);
void cd_prepare_singular_start(cd_simulation* s);
// Compute the conditioning of the constraints at x.
cardan_status cd_compute_conditioning(cd_simulation* s, const cd_ode_state* x);
// Detect singular configurations and branch switches in the step from t_start to x.
cardan_status cd_check_step_singularities(cd_simulation* s, double t_start);
// Warn where violations start to grow from step to step, for methods that project the violation of a step in the next
// step. h [s]: last step.
cardan_status cd_check_violation_growth(cd_simulation* s, double h);
// Compute accelerations at a sample x into system.a. Near singular configurations by the limit, as in steps; a
// projection there also changes x.
cardan_status cd_accelerate_sample(cd_simulation* s, cd_ode_state* x);

// ---- fallback_integrator.c

bool cd_fallback_integrator_prepare(cd_simulation* s); // false if memory is exhausted
// Called if no step was found from x: returns true near a singular configuration, after switching to the fallback
// integrator.
bool cd_fallback_integrator_enter(cd_simulation* s, cardan_status status);
// Called after a step h: returns true if the integrator changed and must restart, because steps near a singular
// configuration become very short, or because x is well-conditioned again.
bool cd_fallback_integrator_update(cd_simulation* s, double h);
void cd_fallback_integrator_finish(cd_simulation* s);
