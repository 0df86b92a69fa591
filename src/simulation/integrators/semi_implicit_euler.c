// SPDX-License-Identifier: BSD-3-Clause
// Semi-implicit (symplectic) Euler, order 1: velocities first, positions with the new velocities,
//
//     v1 = v0 + h a(t0, q0, v0),    q1 = q0 (+) h v1,    s1 = s0 + h s'(t0, q0, v0, s0).
//
// The energy of an oscillation stays bounded, which explicit Euler does not achieve at the same cost. With loops it
// does not: the projection onto the constraints changes the energy.
#include "simulation/integrators/integrator.h"

#include "model/model.h"

enum { BLOCK_BODIES = 64 }; // bodies per block, so that their states stay in the cache

typedef struct semi_implicit_work {
    cd_ode_state from; // start of the step
    double*      rate; // (nz) there
} semi_implicit_work;

static void layout(const cd_ode_system* system, cd_arena* arena, void* work)
{
    semi_implicit_work* w = work;
    cd_ode_state_layout(system, arena, &w->from);
    CD_ARENA_ARRAY(arena, w->rate, system->nz);
}

static cardan_status start(cd_ode_system* system, void* work, const cd_ode_state* x)
{
    cd_ode_state_copy(system, x, &((semi_implicit_work*)work)->from);
    return CARDAN_OK;
}

static void advance_z(const semi_implicit_work* w, double h, int from, int to, double* z)
{
    for (int i = from; i < to; ++i) z[i] = w->from.z[i] + h * w->rate[i];
}

// Integrate in blocks of free bodies, each while it is in the cache.
static cardan_status dense_output(cd_ode_system* system, void* work, double t, cd_ode_state* x)
{
    const semi_implicit_work* w         = work;
    const cardan_model*       m         = system->model;
    const double              h         = t - w->from.t;
    const int                 part      = m->all_links_free ? BLOCK_BODIES : m->nlink;
    bool                      is_finite = true;
    for (int i = 0; i < m->nlink; i += part) {
        const int to = i + part < m->nlink ? i + part : m->nlink, v = m->all_links_free ? 6 * i : 0,
                  q  = m->all_links_free ? 7 * i : 0;
        const int nv = m->all_links_free ? 6 * (to - i) : system->nv,
                  nq = m->all_links_free ? 7 * (to - i) : system->nq;
        advance_z(w, h, v, v + nv, x->z);
        cd_model_integrate_position(m, w->from.q, x->z, h, x->q, i, to);
        is_finite &= cd_is_bounded(nv, x->z + v) && cd_is_bounded(nq, x->q + q);
    }
    advance_z(w, h, system->nv, system->nz, x->z);
    x->t = t;
    return is_finite && cd_is_bounded(system->ns, x->z + system->nv) ? CARDAN_OK
                                                                     : cd_ode_state_check_finite(system, t, x->q, x->z);
}

static void swap_states(cd_ode_state* a, cd_ode_state* b)
{
    const cd_ode_state kept = *a;
    *a                      = *b;
    *b                      = kept;
}

// Take a step; x and the start of the step are swapped, so that nothing is copied.
static cardan_status step(cd_ode_system* system, void* work, double limit, cd_ode_state* x)
{
    semi_implicit_work* w = work;
    swap_states(x, &w->from);
    cardan_status status = cd_rhs_and_project(system, limit - w->from.t, &w->from, w->rate);
    if (!status) return dense_output(system, work, limit, x);
    swap_states(x, &w->from);
    return status;
}

const cd_integrator cd_semi_implicit_euler = {
    .name                    = "semi-implicit-euler",
    .summary                 = "first order, fixed step; energy error stays bounded without loops",
    .citation                = "Hairer, Lubich, Wanner 2006, section I.1.2",
    .order                   = 1,
    .evaluates_at_step_start = true,
    .uses_rhs                = true,
    .work_size               = sizeof(semi_implicit_work),
    .layout                  = layout,
    .start                   = start,
    .step                    = step,
    .dense_output            = dense_output,
};
