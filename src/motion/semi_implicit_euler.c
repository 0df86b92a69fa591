// SPDX-License-Identifier: BSD-3-Clause
// Semi-implicit (symplectic) Euler, order 1: velocities first, positions with the new velocities,
//
//     v1 = v0 + h a(t0, q0, v0),    q1 = q0 (+) h v1,    s1 = s0 + h s'(t0, q0, v0, s0).
//
// The energy of an oscillation stays bounded, which explicit Euler cannot do at the same cost. Not so with loops: putting them back takes energy out or in.
#include "motion/integrator.h"

typedef struct semi_work {
    cd_point from; // where the step began
    double*  rate; // (nz) there
    double*  y;    // (nv) h v1
} semi_work;

static void layout(const cd_system* system, cd_arena* arena, void* work)
{
    semi_work* w = work;
    cd_point_layout(system, arena, &w->from);
    CD_TAKE(arena, w->rate, system->nz);
    CD_TAKE(arena, w->y, system->nv);
}

static cardan_status start(cd_system* system, void* work, const cd_point* x)
{
    cd_point_copy(system, x, &((semi_work*)work)->from);
    return CARDAN_OK;
}

static cardan_status inside(cd_system* system, void* work, double t, cd_point* x)
{
    semi_work*   w  = work;
    const double h  = t - w->from.t;
    const int    nv = system->nv;
    for (int i = 0; i < nv; ++i) {
        x->z[i] = w->from.z[i] + h * w->rate[i];
        w->y[i] = h * x->z[i];
    }
    for (int i = nv; i < system->nz; ++i) x->z[i] = w->from.z[i] + h * w->rate[i];
    cardan_model_move(system->model, w->from.q, w->y, x->q);
    x->t = t;
    return cd_system_sound(system, t, x->q, x->z);
}

static cardan_status step(cd_system* system, void* work, double limit, cd_point* x)
{
    semi_work* w = work;
    cd_point_copy(system, x, &w->from);
    const cardan_status status = cd_system_rate_closing(system, limit - x->t, &w->from, w->rate);
    return status ? status : inside(system, work, limit, x);
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
