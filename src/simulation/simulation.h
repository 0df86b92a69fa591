// SPDX-License-Identifier: BSD-3-Clause
// What a run holds while it goes on (simulate.c).
#pragma once

#include "simulation/monitors/direction_loss.h"
#include "simulation/monitors/chattering.h"
#include "simulation/monitors/generated_code_check.h"
#include "simulation/monitors/energy_monitor.h"
#include "simulation/events/events.h"
#include "simulation/simulation_errors.h"
#include "simulation/events/discontinuities.h"
#include "simulation/events/driver_domain.h"
#include "simulation/monitors/violation_growth.h"
#include "simulation/singularity/singular_events.h"
#include "simulation/singularity/singular_standstill.h"
#include "simulation/simulation_settings.h"
#include "simulation/stabilization/stabilization.h"
#include "simulation/singularity/fallback_integrator.h"

#include "dynamics/winding_numbers.h"

typedef struct cd_simulation {
    cardan_run              run; // complete
    cd_ode_system           system;
    const cd_integrator*    integrator;
    void*                   integrator_work; // of the integrator
    cd_fallback_integrator  fallback;
    const cd_stabilization* stabilization;
    void*                   stabilization_work; // its work
    cd_events               events;
    cd_singular_events      singular_events;
    cd_singular_standstill  standstill;
    cd_direction_monitor    directions;
    bool                    branch_switch_reported;                           // into another branch: told once
    bool                    violation_tolerance_given, window_over_tolerance; // for a gap; the last window left more
    cd_max_violation        max_violation;                                    // at a row
    cd_violation_growth     violation_growth;                                 // from step to step
    cd_ode_state            x;                                                // end of the last step
    bool                    needs_projection;                                 // not yet put back on the constraints
    double                  velocity_scale;                                   // [1/s] velocity there
    double                  min_conditioning;      // how firm the weakest pose was that was looked at in the last step
    double                  unchecked_travel;      // [rad, lengths] to move without a look where gaps are left
    bool                    projection_failed;     // it could not be, and nothing is said of it yet
    bool                    has_multi_axis_joints; // measured joints of several steps
    double                  uncounted_rotation;    // [rad] at most, since turns were counted,
    cd_winding_numbers      winding;               // and what they were then
    double                  time_per_2rad;         // [s] in which the fastest free body turns by that at x
    cd_ode_state            sample_x;              // state of a row, or of a look inside a step
    double*                 rate;                  // (nz) there
    long                    next_sample, last_sample;
    cd_energy_monitor       energy;
    cd_checkpoint           checkpoint;   // where generated code is used
    double                  longest_step; // [s] step so far
    cd_driver_domain        driver_domain;
    cd_discontinuity_times  discontinuities;
    cd_chattering_monitor   chattering;
    cardan_summary*         summary;
    cardan_report*          report;
    cd_arena                arena;
} cd_simulation;

// Memory and settings of everything that takes part; false without memory.
bool cd_simulation_prepare(cd_simulation* s, cardan_data* data);

// The data at x.
cardan_status cd_simulation_set_state(cd_simulation* s, const cd_ode_state* x);

// ---- simulate.c

// From x on, with nothing of the past. What rounding leaves before the end is not worth a step.
cardan_status cd_start_integrator(cd_simulation* s);
// Why the run cannot go on from x; returns the status.
cardan_status cd_fail_run(cd_simulation* s, cardan_status status);

// ---- initial_state.c

cardan_status cd_set_initial_state(cd_simulation* s);
// x back on the constraints; without a report nothing is said where that fails.
cardan_status cd_stabilize(cd_simulation* s, cd_ode_state* x, cardan_report* report);
// The same, told; near the end of a law it is the law's failure.
cardan_status cd_stabilize_reported(cd_simulation* s, cd_ode_state* x);

// ---- run_output.c

// The row of time t, which is that of x but for rounding.
cardan_status cd_output_sample(cd_simulation* s, cd_ode_state* x, double t);
// Rows due up to time t of the last step.
cardan_status cd_output_samples(cd_simulation* s, double t);
cardan_status cd_report_event(cd_simulation* s, const cd_event_function* function);
// Events and rows of the last step, in the order of time.
cardan_status cd_process_step(cd_simulation* s, double from);

// ---- turns.c

// [s] Longest step in which none of them turns by half of a turn.
double cd_winding_step_limit(const cd_simulation* s);
// At x, where the data have counted so far.
cardan_status cd_start_winding_count(cd_simulation* s);
// Whether the step from time `from` to x may have turned one by that much all the same.
bool cd_step_rotates_too_far(cd_simulation* s, double from);
// At the end of a step h.
cardan_status cd_count_winding(cd_simulation* s, double h);
// Rows and events within the step have moved the data: turns go on from its end, where the next step begins.
cardan_status cd_resume_winding_count(cd_simulation* s);

// ---- singularity_monitor.c

// Whether a point inside the last step may be near a singular pose.
bool cd_may_be_near_singular(const cd_simulation* s);
// Before the first row: whether the run starts near one; and before the first step, what follows of that.
void cd_check_start_conditioning(cd_simulation* s);
void cd_start_off_singularity(cd_simulation* s);
// How firm the pose x is.
cardan_status cd_compute_conditioning(cd_simulation* s, const cd_ode_state* x);
// Singular poses and branches in the step from time `from` to x.
cardan_status cd_check_step_singularities(cd_simulation* s, double t_start);
// Gaps that grow from step to step, where steps close those of the one before: told where that begins. h [s]: the step.
cardan_status cd_check_violation_growth(cd_simulation* s, double h);
// Accelerations at a row x, into those of the system. Near singular poses with the care that steps take: what is put
// back on the constraints there is x as well.
cardan_status cd_accelerate_sample(cd_simulation* s, cd_ode_state* x);

// ---- fallback_integrator.c

bool cd_fallback_integrator_prepare(cd_simulation* s); // false without memory
// No step was found from x on: true where that is near a singular pose, and another method is there now to take it.
bool cd_fallback_integrator_enter(cd_simulation* s, cardan_status status);
// After a step h: true where the method is another one now, which is to begin anew: steps crawl near a singular pose,
// or x is firm again.
bool cd_fallback_integrator_update(cd_simulation* s, double h);
void cd_fallback_integrator_finish(cd_simulation* s);
