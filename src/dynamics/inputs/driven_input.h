// SPDX-License-Identifier: BSD-3-Clause
// Drivable coordinates: joint coordinates that the caller drives while a simulation runs (driven_input.c).
#pragma once

#include <cardan/dynamics.h>

// Input of one driver function. Those of drivable coordinates are filtered while they are driven.
typedef struct cd_driven_input {
    bool   is_drivable; // the coordinate was made drivable; else the other members are not used
    bool   is_driven;   // its constraint is enabled
    bool   is_frozen;   // the filter stands still: driver_values of the external inputs are used
    int    constraint;  // number of its constraint
    double t_start;     // [s] the filter starts there ...
    double start[3];    // ... with this value, rate and acceleration
    double target;      // [m, rad]
} cd_driven_input;

// Compute value, rate and acceleration of the filter at time t; before its start: those of its start.
void cd_driven_input_evaluate(const cd_driven_input* input, double t, double value[3]);

// Enable or disable the constraint of a drivable coordinate with driver function n.
void cd_enable_driven_input(cardan_data* d, int n, bool on);
// Find the drivable coordinates and disable their constraints; once, when data are created.
void cd_driven_inputs_init(cardan_data* d);
// Replace the values of driver functions at time t by those of the caller.
void cd_replace_external_drivers(cardan_data* d, double t);
// Whether a constraint is that of a drivable coordinate.
bool cd_constraint_is_drivable(const cardan_data* d, int constraint);

// drive_joint.c

// Copy the driver values and driven coordinates of other data of the same description.
void cd_copy_external_drivers(const cardan_data* from, cardan_data* to);
// Start the filters of driven coordinates again at the state: those that started at a later time, or all of them.
void cd_restart_driven_inputs(cardan_data* d, bool all);
