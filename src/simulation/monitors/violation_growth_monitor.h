// SPDX-License-Identifier: BSD-3-Clause
// Growth of constraint violations from step to step: detects steps that are too long for the loads.
#pragma once

#include <stdbool.h>

typedef struct cd_violation_growth {
    double relative_max[4]; // largest relative violation of each block of steps, the present one last
    double violation_max;   // [m, rad] largest of the present block
    int    block_steps;     // in the present block
    int    nblock;          // blocks so far
    bool   reported;
} cd_violation_growth;

// Update with a step of length h that started with this violation [m, rad], which it projects; velocity_scale [1/s],
// `length` [m] of the mechanism. Returns true once: when violations start to grow from step to step.
bool cd_violation_growth_update(cd_violation_growth* growth, double violation, double h, double velocity_scale,
                                double length);
