// SPDX-License-Identifier: BSD-3-Clause
// Explicit midpoint rule, order 2:
//
//     k1 = f(t0, y0),   k2 = f(t0 + h/2, y0 + h/2 k1),   y1 = y0 + h k2
#include "simulation/integrators/integrator.h"
#include "simulation/integrators/runge_kutta.h"

static const cd_butcher_tableau tableau = {.stages = 2, .c = {0, 0.5}, .a = {{0}, {0.5}}, .b = {0, 1}};

static void layout(const cd_ode_system* system, cd_arena* arena, void* work)
{
    cd_rk_layout(system, arena, work, &tableau);
}

const cd_integrator cd_midpoint = {
    .name                    = "midpoint",
    .summary                 = "second order, fixed step, two evaluations",
    .citation                = "Runge 1895; Hairer, Norsett, Wanner 1993, section II.1",
    .order                   = 2,
    .evaluates_at_step_start = true,
    .uses_rhs                = true,
    .work_size               = sizeof(cd_rk),
    .layout                  = layout,
    .start                   = cd_rk_start,
    .step                    = cd_rk_step,
    .dense_output            = cd_rk_dense_output,
};
