// SPDX-License-Identifier: BSD-3-Clause
// Sentences about a motion that could not go on: when, at which joint, and what to try.
#pragma once

#include "simulation/integrators/integrator.h"

// Reports why `status` ended the run that began at `since` at the system's trouble, and returns it. `step` is that of a
// fixed-step method.
cardan_status cd_fail_integration(const cd_ode_system* system, const cd_integrator* integrator, double t_start,
                                  double step, cardan_status status, cardan_report* report);

// Whether constraints cannot be closed a little later, from where the data are: then it is the drivers that ask for too
// much.
bool cd_is_beyond_workspace(const cd_ode_system* system);
// CARDAN_STEP_TOO_SMALL: near a singular pose of a loop steps have become so short that the motion does not get on.
cardan_status cd_fail_stalled_at_singularity(const cd_ode_system* system, double t, const char* loops,
                                             cardan_report* report);

// A step opened loops so far that they were not closed again, though others nearby are.
cardan_status cd_fail_large_violation(const cd_ode_system* system, const cd_integrator* integrator, double t,
                                      cardan_status status, cardan_report* report);

// CARDAN_BAD_INPUT: the start value where the trouble is cannot be used.
cardan_status cd_fail_start_value(const cd_ode_system* system, cardan_report* report);

// A warning: the motion left its branch.
void cd_warn_branch_switch(const cardan_event* event, cardan_report* report);
// A warning: a driven motion has rested at a singular pose, until t.
void cd_warn_singular_standstill(double t, const char* loops, cardan_report* report);
// A warning: windows of a method that regularizes have left more than was asked for.
void cd_warn_window_violation(const cd_ode_system* system, cardan_report* report);
// The widest gap of loops so far, and where it was.
typedef struct cd_max_violation {
    double violation, relative, t; // [m, rad]; of the mechanism's size, at most that of 1 m; [s]
    char   description[160];
} cd_max_violation;
// A gap of a method that endures them, at the state of the data: CARDAN_OK where some pose closes it, else the drivers
// are told that ask for too much, and when that began, after the time `since`. The data are left elsewhere.
cardan_status cd_check_driver_feasibility(const cd_ode_system* system, double violation, double t_start,
                                          cardan_report* report);
void          cd_max_violation_update(const cardan_data* d, double violation, cd_max_violation* max_violation);
// A warning: it is wider than anyone would expect who asked for no gap, or for this one.
void cd_warn_large_violation(const cd_max_violation* max_violation, double tolerance, cardan_report* report);
// A warning: gaps grow from step to step, from this event on.
void cd_warn_violation_growth(const cardan_event* event, double step, cardan_report* report);
// "joint 'c1'": what a row of the closure belongs to.
void cd_name_row_constraint(const cardan_data* d, int row, char* text, size_t size);
// A note, where a run ended near a singular pose of a loop.
void cd_note_near_singular(const cd_ode_system* system, const char* loops, cardan_report* report);
// A note, where the mechanism is large for an integrator with a dense Jacobian.
void cd_note_dense_jacobian(const cd_ode_system* system, const cd_integrator* integrator, cardan_report* report);

// A note, where an explicit method has met stiffness.
void cd_note_stiffness(const cd_ode_system* system, cardan_report* report);
