// SPDX-License-Identifier: BSD-3-Clause
// Explicit Euler: y1 = y0 + h f(t0, y0), order 1. It adds energy to every oscillation; for comparison.
#include "motion/integrator.h"
#include "motion/runge_kutta.h"

static const cd_tableau tableau = {.stages = 1, .b = {1}};

static void layout(const cd_system* system, cd_arena* arena, void* work)
{
    cd_rk_layout(system, arena, work, tableau.stages);
}

static cardan_status start(cd_system* system, void* work, const cd_point* x)
{
    cd_point_copy(system, x, &((cd_rk*)work)->from);
    return CARDAN_OK;
}

static cardan_status step(cd_system* system, void* work, double limit, cd_point* x)
{
    return cd_rk_step(system, work, &tableau, limit, x);
}

static cardan_status inside(cd_system* system, void* work, double t, cd_point* x)
{
    return cd_rk_inside(system, work, &tableau, t, x);
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
    .start     = start,
    .step      = step,
    .inside    = inside,
};
