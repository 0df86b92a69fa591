// SPDX-License-Identifier: BSD-3-Clause
// Messages about a failed run: time, joint, and remedies.
#pragma once

#include "simulation/integrators/integrator.h"

// Report why `status` ended the run that started at t_start, at the failure stored in the system; returns the status.
// `step` [s] is that of a fixed-step method.
cardan_status cd_fail_integration(const cd_ode_system* system, const cd_integrator* integrator, double t_start,
                                  double step, cardan_status status, cardan_report* report);

// Return whether the constraints cannot be satisfied slightly later than the state of the data: then the drivers
// demand a configuration outside the workspace.
bool cd_is_beyond_workspace(const cd_ode_system* system);
// Report CARDAN_STEP_TOO_SMALL: near a singular configuration of a loop the steps became too short to advance.
cardan_status cd_fail_stalled_at_singularity(const cd_ode_system* system, double t, const char* loops,
                                             cardan_report* report);

// Report that the violation after a step was too large to project, although neighbouring steps can be projected.
cardan_status cd_fail_large_violation(const cd_ode_system* system, const cd_integrator* integrator, double t,
                                      cardan_status status, cardan_report* report);

// Report CARDAN_BAD_INPUT: the start value at the failure index is invalid.
cardan_status cd_fail_start_value(const cd_ode_system* system, cardan_report* report);

// Warn that the motion left its solution branch.
void cd_warn_branch_switch(const cardan_event* event, cardan_report* report);
// Warn that a driven motion stood still at a singular configuration until t.
void cd_warn_singular_standstill(double t, const char* loops, cardan_report* report);
// Warn that windows of sequential regularization exceeded the violation tolerance.
void cd_warn_window_violation(const cd_ode_system* system, cardan_report* report);
// Largest constraint violation so far, and its constraint.
typedef struct cd_max_violation {
    double violation, relative, t; // [m, rad]; relative to min(1 m, length_scale); [s]
    char   description[160];
} cd_max_violation;
// Check a violation of a method that tolerates them, at the state of the data: CARDAN_OK if some configuration
// satisfies the constraints, else report the drivers and the time after t_start at which the workspace was left.
// Changes the data.
cardan_status cd_check_driver_feasibility(const cd_ode_system* system, double violation, double t_start,
                                          cardan_report* report);
void          cd_max_violation_update(const cardan_data* d, double violation, cd_max_violation* max_violation);
// Warn that the largest violation exceeds the default limit and the tolerance set by the user.
void cd_warn_large_violation(const cd_max_violation* max_violation, double tolerance, cardan_report* report);
// Warn that violations grow from step to step after this event.
void cd_warn_violation_growth(const cardan_event* event, double step, cardan_report* report);
// Name the constraint of a row, for example "joint 'c1'".
void cd_name_row_constraint(const cardan_data* d, int row, char* text, size_t size);
// Note that a run ended near a singular configuration of a loop.
void cd_note_near_singular(const cd_ode_system* system, const char* loops, cardan_report* report);
// Note that the mechanism is large for an integrator with a dense Jacobian.
void cd_note_dense_jacobian(const cd_ode_system* system, const cd_integrator* integrator, cardan_report* report);

// Note that an explicit method met stiffness.
void cd_note_stiffness(const cd_ode_system* system, cardan_report* report);
