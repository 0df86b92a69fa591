// SPDX-License-Identifier: BSD-3-Clause
// Steps that are too long for loops to stay closed.
#pragma once

#include <stdbool.h>

typedef struct cd_violation_growth {
    double relative_max[4]; // largest of each stretch of steps, the present one last
    double violation_max;   // [m, rad] largest of the present one
    int    block_steps;     // of the present one
    int    nblock;          // stretches so far
    bool   reported;
} cd_violation_growth;

// A step of length h began with this gap [m, rad], which it had to close, at velocities of which the fastest is `fast`
// [1/s]; `length` [m] is that of the mechanism. True once: gaps have begun to grow from step to step.
bool cd_violation_growth_update(cd_violation_growth* o, double violation, double h, double velocity_scale,
                                double length);
