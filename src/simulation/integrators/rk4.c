// SPDX-License-Identifier: BSD-3-Clause
// Classical Runge-Kutta method, order 4:
//
//     k1 = f(t0, y0)                       k3 = f(t0 + h/2, y0 + h/2 k2)
//     k2 = f(t0 + h/2, y0 + h/2 k1)        k4 = f(t0 + h, y0 + h k3)
//     y1 = y0 + h (k1 + 2 k2 + 2 k3 + k4) / 6
#include "simulation/integrators/integrator.h"
#include "simulation/integrators/runge_kutta.h"

static const cd_butcher_tableau tableau = {
    .stages = 4,
    .c      = {0, 0.5, 0.5, 1},
    .a      = {{0}, {0.5}, {0, 0.5}, {0, 0, 1}},
    .b      = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6},
};

static void layout(const cd_ode_system* system, cd_arena* arena, void* work)
{
    cd_rk_layout(system, arena, work, &tableau);
}

const cd_integrator cd_rk4 = {
    .name                    = "rk4",
    .summary                 = "fourth order, fixed step, four evaluations",
    .citation                = "Kutta 1901; Hairer, Norsett, Wanner 1993, section II.1",
    .order                   = 4,
    .evaluates_at_step_start = true,
    .uses_rhs                = true,
    .work_size               = sizeof(cd_rk),
    .layout                  = layout,
    .start                   = cd_rk_start,
    .step                    = cd_rk_step,
    .dense_output            = cd_rk_dense_output,
};
