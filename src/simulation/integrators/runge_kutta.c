// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/integrators/runge_kutta.h"

#include <string.h>

void cd_rk_layout(const cd_ode_system* system, cd_arena* arena, cd_rk* rk, const cd_butcher_tableau* tableau)
{
    rk->tableau = tableau;
    cd_ode_state_layout(system, arena, &rk->from);
    CD_ARENA_ARRAY(arena, rk->y, system->n);
    for (int i = 0; i < tableau->stages; ++i) CD_ARENA_ARRAY(arena, rk->k[i], system->n);
}

void cd_rk_combine_stages(const cd_ode_system* system, cd_rk* rk, double h, int count, const double* weight)
{
    const int nv = system->nv;
    for (int i = 0; i < system->n; ++i) {
        double sum = 0;
        for (int j = 0; j < count; ++j) sum += weight[j] * rk->k[j][i];
        rk->y[i] = (i < nv ? 0 : rk->from.z[i - nv]) + h * sum;
    }
}

cardan_status cd_rk_stages(cd_ode_system* system, cd_rk* rk, double h)
{
    const cd_butcher_tableau* tableau = rk->tableau;
    for (int i = 1; i < tableau->stages; ++i) {
        cd_rk_combine_stages(system, rk, h, i, tableau->a[i]);
        const double        t      = rk->from.t + tableau->c[i] * h;
        const cardan_status status = cd_chart_rate(system, t, rk->from.q, rk->y, rk->k[i]);
        if (status) return status;
    }
    return CARDAN_OK;
}

cardan_status cd_rk_start(cd_ode_system* system, void* work, const cd_ode_state* x)
{
    cd_ode_state_copy(system, x, &((cd_rk*)work)->from);
    return CARDAN_OK;
}

cardan_status cd_rk_dense_output(cd_ode_system* system, void* work, double t, cd_ode_state* x)
{
    cd_rk*              rk     = work;
    const double        h      = t - rk->from.t;
    const cardan_status status = cd_rk_stages(system, rk, h);
    if (status) return status;
    cd_rk_combine_stages(system, rk, h, rk->tableau->stages, rk->tableau->b);
    cd_chart_to_state(system, t, rk->from.q, rk->y, x);
    return cd_ode_state_check_finite(system, t, x->q, x->z);
}

cardan_status cd_rk_step(cd_ode_system* system, void* work, double limit, cd_ode_state* x)
{
    cd_rk* rk = work;
    cd_ode_state_copy(system, x, &rk->from);
    const double        h      = rk->tableau->stages == 1 ? limit - x->t : 0;
    const cardan_status status = cd_rhs_and_project(system, h, &rk->from, rk->k[0] + system->nv);
    if (status) return status;
    // in the chart about the state itself theta' = v
    memcpy(rk->k[0], rk->from.z, (size_t)system->nv * sizeof *rk->k[0]);
    return cd_rk_dense_output(system, rk, limit, x);
}
