// SPDX-License-Identifier: BSD-3-Clause
// Directions that constraints follow (cd_constraint_type.bearing), watched from step to step: where one vanishes the
// equations are not defined, and a step that turns it by more than a right angle has gone through such a pose.
#pragma once

#include "math/spatial.h"
#include "simulation/ode/ode_system.h"

typedef struct cd_direction_monitor {
    int   count;
    int*  constraint; // (count) number in the closure
    vec3* previous;   // (count) at the end of the last step
    vec3* current;    // (count) at the last look
} cd_direction_monitor;

void cd_direction_monitor_layout(const cd_ode_system* system, cd_arena* arena, cd_direction_monitor* b);
// The state of the data is the end of a step, whatever was before.
void cd_direction_monitor_start(const cd_ode_system* system, cd_direction_monitor* b);
// The last look was at the end of a step, and nothing was lost.
void cd_direction_monitor_accept(cd_direction_monitor* b);
// The constraint whose direction is lost at the state of the data, or on the way to it; CARDAN_NONE.
int cd_direction_monitor_find_lost(const cd_ode_system* system, cd_direction_monitor* b);
// The constraint whose direction is nearly lost at the state of the data; CARDAN_NONE.
int cd_direction_monitor_find_weak(const cd_ode_system* system, const cd_direction_monitor* b);
