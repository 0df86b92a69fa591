// SPDX-License-Identifier: BSD-3-Clause
// Proximal inertia for velocities without inertia (proximal_inertia.h).
#include "formulation/formulation_tolerances.h"
#include "formulation/safeguards/proximal_inertia.h"

#include <math.h>

enum { MAX_ITERATIONS = 30 };

void cd_proximal_layout(const cardan_model* m, const cd_rows* rows, cd_arena* arena, cd_proximal* proximal)
{
    CD_ARENA_ARRAY(arena, proximal->added_inertia, m->nv);
    CD_ARENA_ARRAY(arena, proximal->r, m->nv);
    CD_ARENA_ARRAY(arena, proximal->previous, m->nv);
    CD_ARENA_ARRAY(arena, proximal->gamma, rows->nrow);
    CD_ARENA_ARRAY(arena, proximal->lambda, rows->nrow);
    if (proximal->added_inertia) cd_proximal_reset(m, proximal);
}

void cd_proximal_reset(const cardan_model* m, cd_proximal* proximal)
{
    for (int v = 0; v < m->nv; ++v) proximal->added_inertia[v] = 0;
    proximal->is_active = false;
}

static bool is_translation(const cd_link* link, int v)
{
    return link->motion == CD_PRISMATIC || (link->nv == 6 && v - link->v < 3);
}

// Return the inertia scale of velocity v. If it is round-off, return the mean over velocities of the same kind
// (translation or rotation), or over all velocities if there are none of this kind.
double cd_proximal_inertia_scale(const cardan_model* m, int v)
{
    if (m->inertia_scale[v] > m->inertia_roundoff[v]) return m->inertia_scale[v];
    double    sum[2] = {0}, all = 0;
    int       count[2] = {0}, n = 0;
    const int is_translational = is_translation(&m->link[m->v_link[v]], v);
    for (int u = 0; u < m->nv; ++u) {
        if (!(m->inertia_scale[u] > 0)) continue;
        const int other = is_translation(&m->link[m->v_link[u]], u);
        sum[other] += m->inertia_scale[u];
        all += m->inertia_scale[u];
        ++count[other];
        ++n;
    }
    return count[is_translational] > 0 ? sum[is_translational] / count[is_translational] : n > 0 ? all / n : 1;
}

bool cd_proximal_add(const cardan_model* m, const cd_rows* rows, cd_proximal* proximal, int v)
{
    if (rows->nrow == 0 || v < 0 || proximal->added_inertia[v] > 0) return false;
    proximal->added_inertia[v] = cd_proximal_inertia_ratio * cd_proximal_inertia_scale(m, v);
    proximal->is_active        = true;
    return true;
}

void cd_proximal_solve(const cd_problem* p, const cd_proximal* proximal, cd_factor_solve solve, void* work,
                       const real* r, const real* gamma, real* a, real* lambda)
{
    const cardan_model* m = p->m;
    if (!proximal->is_active) {
        solve(p, work, r, gamma, a, lambda);
        return;
    }
    for (int v = 0; v < m->nv; ++v) proximal->previous[v] = r_const(0);
    for (int n = 0; n < MAX_ITERATIONS; ++n) {
        double change = 0, size = 0;
        for (int v = 0; v < m->nv; ++v)
            proximal->r[v] = proximal->added_inertia[v] > 0
                                 ? r_add(r[v], r_mul(r_const(proximal->added_inertia[v]), proximal->previous[v]))
                                 : r[v];
        solve(p, work, proximal->r, gamma, a, lambda);
        for (int v = 0; v < m->nv; ++v) {
            if (proximal->added_inertia[v] > 0)
                change = fmax(change, fabs(r_value(a[v]) - r_value(proximal->previous[v])));
            size                  = fmax(size, fabs(r_value(a[v])));
            proximal->previous[v] = a[v];
        }
        if (!(change > cd_proximal_converged_change * size)) return;
    }
}

// Return the energy sum of E a^2 of the proximal inertia, and the velocity with the largest part of it.
static double proximal_energy(const cardan_model* m, const cd_proximal* proximal, const real* a, int* worst_velocity)
{
    double sum = 0, max_energy = 0;
    for (int v = 0; v < m->nv; ++v) {
        const double energy = proximal->added_inertia[v] * r_value(a[v]) * r_value(a[v]);
        sum += energy;
        if (!(energy > max_energy)) continue;
        max_energy      = energy;
        *worst_velocity = v;
    }
    return sum;
}

// Start with a general motion of all velocities with proximal inertia. The iteration reduces a determined motion to
// nearly zero and leaves an undetermined one unchanged.
int cd_proximal_find_undetermined(const cd_problem* p, const cd_proximal* proximal, cd_factor_solve solve, void* work,
                                  real* a)
{
    const cardan_model* m              = p->m;
    int                 worst_velocity = CARDAN_NONE;
    if (!proximal->is_active) return CARDAN_NONE;
    for (int v = 0; v < m->nv; ++v)
        a[v] =
            r_const(proximal->added_inertia[v] > 0 ? (1 + 0.5 * sin(1.7 * v)) / sqrt(proximal->added_inertia[v]) : 0);
    for (int i = 0; i < p->rows->nrow; ++i) proximal->gamma[i] = r_const(0);
    const double initial_energy = proximal_energy(m, proximal, a, &worst_velocity);
    double       energy         = initial_energy;
    for (int n = 0; n < MAX_ITERATIONS; ++n) {
        const double before = energy;
        for (int v = 0; v < m->nv; ++v) proximal->r[v] = r_mul(r_const(proximal->added_inertia[v]), a[v]);
        solve(p, work, proximal->r, proximal->gamma, a, proximal->lambda);
        energy = proximal_energy(m, proximal, a, &worst_velocity);
        if (energy < cd_determined_energy_ratio * initial_energy) return CARDAN_NONE;
        if (n > 0 && !(energy < cd_undetermined_energy_ratio * before)) return worst_velocity;
    }
    return CARDAN_NONE;
}
