// SPDX-License-Identifier: BSD-3-Clause
// Directions used by constraints (cd_constraint_type.direction), monitored from step to step: where one vanishes the
// equations are undefined, and a step that rotates it by more than a right angle has passed such a configuration.
#pragma once

#include "math/spatial.h"
#include "simulation/ode/ode_system.h"

typedef struct cd_direction_monitor {
    int   count;
    int*  constraint; // (count) index in the constraint set
    vec3* previous;   // (count) at the end of the last step
    vec3* current;    // (count) at the last evaluation
    int   vanished;   // constraint whose direction was lost at the last state that was not valid, or CARDAN_NONE
} cd_direction_monitor;

void cd_direction_monitor_layout(const cd_ode_system* system, cd_arena* arena, cd_direction_monitor* monitor);
// Start at the state of the data, without history.
void cd_direction_monitor_start(const cd_ode_system* system, cd_direction_monitor* monitor);
// Accept the last evaluation as the end of a step without loss.
void cd_direction_monitor_accept(cd_direction_monitor* monitor);
// Return the constraint whose direction is lost at the state of the data or within the step to it, or CARDAN_NONE.
int cd_direction_monitor_find_vanished(const cd_ode_system* system, cd_direction_monitor* monitor);
// Return the constraint whose direction nearly vanishes at the state of the data, or CARDAN_NONE.
int cd_direction_monitor_find_nearly_vanished(const cd_ode_system* system, const cd_direction_monitor* monitor);
