// SPDX-License-Identifier: BSD-3-Clause
// Explicit Euler: y1 = y0 + h f(t0, y0), order 1. It adds energy to every oscillation; for comparison.
#include "simulation/integrators/integrator.h"
#include "simulation/integrators/runge_kutta.h"

static const cd_butcher_tableau tableau = {.stages = 1, .b = {1}};

static void layout(const cd_ode_system* system, cd_arena* arena, void* work)
{
    cd_rk_layout(system, arena, work, &tableau);
}

const cd_integrator cd_explicit_euler = {
    .name                    = "explicit-euler",
    .summary                 = "first order, fixed step; for comparison only",
    .citation                = "Euler 1768; Hairer, Norsett, Wanner 1993, section I.7",
    .order                   = 1,
    .evaluates_at_step_start = true,
    .uses_rhs                = true,
    .work_size               = sizeof(cd_rk),
    .layout                  = layout,
    .start                   = cd_rk_start,
    .step                    = cd_rk_step,
    .dense_output            = cd_rk_dense_output,
};
