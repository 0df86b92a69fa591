// SPDX-License-Identifier: BSD-3-Clause
// Explicit Runge-Kutta steps in a chart (ode_system.h); common part of all methods of this family.
//
//     k_i = f(t + c_i h, y0 + h sum_{j<i} a_ij k_j),    y1 = y0 + h sum b_i k_i,    y0 = [0, z0]
#pragma once

#include "simulation/ode/ode_system.h"

enum { CD_RK_STAGES_MAX = 7 };

typedef struct cd_butcher_tableau {
    int    stages;
    double c[CD_RK_STAGES_MAX];
    double a[CD_RK_STAGES_MAX][CD_RK_STAGES_MAX - 1];
    double b[CD_RK_STAGES_MAX];
} cd_butcher_tableau;

typedef struct cd_rk {
    const cd_butcher_tableau* tableau;
    cd_ode_state              from;                // start of the step
    double*                   y;                   // (n) argument of a stage
    double*                   k[CD_RK_STAGES_MAX]; // (n) rates
} cd_rk;

void cd_rk_layout(const cd_ode_system* system, cd_arena* arena, cd_rk* rk, const cd_butcher_tableau* tableau);

// y = y0 + h sum_{j < count} weight_j k_j
void cd_rk_combine_stages(const cd_ode_system* system, cd_rk* rk, double h, int count, const double* weight);
// k_i for i = 1 .. stages - 1, with k_0 known
cardan_status cd_rk_stages(cd_ode_system* system, cd_rk* rk, double h);

// Functions of a fixed-step method, whose work is a cd_rk: a step to the limit, and the same step repeated to a time
// inside.
cardan_status cd_rk_start(cd_ode_system* system, void* work, const cd_ode_state* x);
cardan_status cd_rk_step(cd_ode_system* system, void* work, double limit, cd_ode_state* x);
cardan_status cd_rk_dense_output(cd_ode_system* system, void* work, double t, cd_ode_state* x);
