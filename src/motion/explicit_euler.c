// SPDX-License-Identifier: BSD-3-Clause
// Explicit Euler: y1 = y0 + h f(t0, y0), order 1. It adds energy to every oscillation; for comparison.
#include "motion/integrator.h"
#include "motion/runge_kutta.h"

static const cd_tableau tableau = {.stages = 1, .b = {1}};

static void layout(const cd_system* system, cd_arena* arena, void* work)
{
    cd_rk_layout(system, arena, work, &tableau);
}

const cd_integrator cd_explicit_euler = {
    .name      = "explicit-euler",
    .summary   = "first order, fixed step; for comparison only",
    .reference = "Euler 1768; Hairer, Norsett, Wanner 1993, section I.7",
    .order     = 1,
    .closes    = true,
    .rates     = true,
    .work_size = sizeof(cd_rk),
    .layout    = layout,
    .start     = cd_rk_start,
    .step      = cd_rk_step,
    .inside    = cd_rk_inside,
};
