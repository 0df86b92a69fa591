// SPDX-License-Identifier: BSD-3-Clause
// Directions that constraints follow (cd_constraint_type.bearing), watched from step to step: where one vanishes the
// equations are not defined, and a step that turns it by more than a right angle has gone through such a pose.
#pragma once

#include "math/spatial.h"
#include "motion/system.h"

typedef struct cd_bearings {
    int   count;
    int*  constraint; // (count) number in the closure
    vec3* at;         // (count) at the end of the last step
    vec3* now;        // (count) at the last look
} cd_bearings;

void cd_bearings_layout(const cd_system* system, cd_arena* arena, cd_bearings* b);
// The state of the data is the end of a step, whatever was before.
void cd_bearings_begin(const cd_system* system, cd_bearings* b);
// The last look was at the end of a step, and nothing was lost.
void cd_bearings_keep(cd_bearings* b);
// The constraint whose direction is lost at the state of the data, or on the way to it; CARDAN_NONE.
int cd_bearings_lost(const cd_system* system, cd_bearings* b);
// The constraint whose direction is nearly lost at the state of the data; CARDAN_NONE.
int cd_bearings_weak(const cd_system* system, const cd_bearings* b);
