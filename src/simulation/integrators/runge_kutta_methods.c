// SPDX-License-Identifier: BSD-3-Clause
// Explicit Runge-Kutta methods with fixed steps (runge_kutta.h):
//
//   explicit Euler, order 1    y1 = y0 + h k1                    adds energy to every oscillation; for comparison
//   midpoint rule, order 2     y1 = y0 + h k2                    k2 = f(t0 + h/2, y0 + h/2 k1)
//   classical, order 4         y1 = y0 + h (k1 + 2 k2 + 2 k3 + k4) / 6
//                              k3 = f(t0 + h/2, y0 + h/2 k2),    k4 = f(t0 + h, y0 + h k3)
#include "simulation/integrators/integrator.h"
#include "simulation/integrators/runge_kutta.h"

#define FIXED_STEP_METHOD(method, ...)                                                                                 \
    static void layout_##method(const cd_ode_system* system, cd_arena* arena, void* work)                              \
    {                                                                                                                  \
        cd_rk_layout(system, arena, work, &method##_tableau);                                                          \
    }                                                                                                                  \
    const cd_integrator cd_##method = {.evaluates_at_step_start = true,                                                \
                                       .uses_rhs                = true,                                                \
                                       .work_size               = sizeof(cd_rk),                                       \
                                       .layout                  = layout_##method,                                     \
                                       .start                   = cd_rk_start,                                         \
                                       .step                    = cd_rk_step,                                          \
                                       .dense_output            = cd_rk_dense_output,                                  \
                                       __VA_ARGS__};

static const cd_butcher_tableau explicit_euler_tableau = {.stages = 1, .b = {1}};
static const cd_butcher_tableau midpoint_tableau       = {.stages = 2, .c = {0, 0.5}, .a = {{0}, {0.5}}, .b = {0, 1}};
static const cd_butcher_tableau rk4_tableau            = {
               .stages = 4,
               .c      = {0, 0.5, 0.5, 1},
               .a      = {{0}, {0.5}, {0, 0.5}, {0, 0, 1}},
               .b      = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6},
};

FIXED_STEP_METHOD(explicit_euler, .name = "explicit-euler", .order = 1,
                  .summary  = "first order, fixed step; for comparison only",
                  .citation = "Euler 1768; Hairer, Norsett, Wanner 1993, section I.7")
FIXED_STEP_METHOD(midpoint, .name = "midpoint", .order = 2, .summary = "second order, fixed step, two evaluations",
                  .citation = "Runge 1895; Hairer, Norsett, Wanner 1993, section II.1")
FIXED_STEP_METHOD(rk4, .name = "rk4", .order = 4, .summary = "fourth order, fixed step, four evaluations",
                  .citation = "Kutta 1901; Hairer, Norsett, Wanner 1993, section II.1")
