// SPDX-License-Identifier: BSD-3-Clause
// Steps that are too long for loops to stay closed.
#pragma once

#include <stdbool.h>

typedef struct cd_opening {
    double part[4]; // largest of each stretch of steps, the present one last
    double gap;     // [m, rad] largest of the present one
    int    steps;   // of the present one
    int    full;    // stretches so far
    bool   told;
} cd_opening;

// A step of length h began with this gap [m, rad], which it had to close, at velocities of which the fastest is `fast`
// [1/s]; `length` [m] is that of the mechanism. True once: gaps have begun to grow from step to step.
bool cd_opening_look(cd_opening* o, double gap, double h, double fast, double length);
