// SPDX-License-Identifier: BSD-3-Clause
// Semi-implicit (symplectic) Euler, order 1: velocities first, positions with the new velocities,
//
//     v1 = v0 + h a(t0, q0, v0),    q1 = q0 (+) h v1,    s1 = s0 + h s'(t0, q0, v0, s0).
//
// The energy of an oscillation stays bounded, which explicit Euler cannot do at the same cost. Not so with loops:
// putting them back takes energy out or in.
#include "motion/integrator.h"

#include "model/model.h"

enum { AT_HAND = 64 }; // bodies whose motion stays in the nearest memory from one look at it to the next

typedef struct semi_work {
    cd_point from; // where the step began
    double*  rate; // (nz) there
} semi_work;

static void layout(const cd_system* system, cd_arena* arena, void* work)
{
    semi_work* w = work;
    cd_point_layout(system, arena, &w->from);
    CD_TAKE(arena, w->rate, system->nz);
}

static cardan_status start(cd_system* system, void* work, const cd_point* x)
{
    cd_point_copy(system, x, &((semi_work*)work)->from);
    return CARDAN_OK;
}

static void rise(const semi_work* w, double h, int from, int to, double* z)
{
    for (int i = from; i < to; ++i) z[i] = w->from.z[i] + h * w->rate[i];
}

// Body after body where they are free, each while it is at hand.
static cardan_status inside(cd_system* system, void* work, double t, cd_point* x)
{
    const semi_work*    w     = work;
    const cardan_model* m     = system->model;
    const double        h     = t - w->from.t;
    const int           part  = m->in_order ? AT_HAND : m->nlink;
    bool                sound = true;
    for (int i = 0; i < m->nlink; i += part) {
        const int to = i + part < m->nlink ? i + part : m->nlink, v = m->in_order ? 6 * i : 0,
                  q  = m->in_order ? 7 * i : 0;
        const int nv = m->in_order ? 6 * (to - i) : system->nv, nq = m->in_order ? 7 * (to - i) : system->nq;
        rise(w, h, v, v + nv, x->z);
        cd_model_advance(m, w->from.q, x->z, h, x->q, i, to);
        sound &= cd_is_bounded(nv, x->z + v) && cd_is_bounded(nq, x->q + q);
    }
    rise(w, h, system->nv, system->nz, x->z);
    x->t = t;
    return sound && cd_is_bounded(system->ns, x->z + system->nv) ? CARDAN_OK : cd_system_sound(system, t, x->q, x->z);
}

static void exchange(cd_point* a, cd_point* b)
{
    const cd_point kept = *a;
    *a                  = *b;
    *b                  = kept;
}

// x and the beginning of the step change places, so that nothing is copied.
static cardan_status step(cd_system* system, void* work, double limit, cd_point* x)
{
    semi_work* w = work;
    exchange(x, &w->from);
    cardan_status status = cd_system_rate_closing(system, limit - w->from.t, &w->from, w->rate);
    if (!status) return inside(system, work, limit, x);
    exchange(x, &w->from);
    return status;
}

const cd_integrator cd_semi_implicit_euler = {
    .name      = "semi-implicit-euler",
    .summary   = "first order, fixed step; without loops energy stays bounded",
    .reference = "Hairer, Lubich, Wanner 2006, section I.1.2",
    .order     = 1,
    .closes    = true,
    .rates     = true,
    .work_size = sizeof(semi_work),
    .layout    = layout,
    .start     = start,
    .step      = step,
    .inside    = inside,
};
