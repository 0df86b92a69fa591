// SPDX-License-Identifier: BSD-3-Clause
// Spring and damper between a point p of a link and a target x that moves at a constant rate, with a bounded force:
//
//   f = k (x - p) + c (x' - p'),        F = f (1 + s^2)^(-1/4),   s = |f|^2 / F_max^2
//
// |F| increases with |f| and stays below F_max; at |f| = F_max / 2 the force is 1.5 % less than f. F has derivatives of
// any order, so that implicit integrators converge also at the bound.
#include "equation/grab_force.h"

#include <math.h>

static vec3 bounded(vec3 f, double max_force)
{
    if (!isfinite(max_force)) return f;
    const vec3 x = v3_scale(r_const(1 / max_force), f);
    const real s = v3_dot(x, x);
    return v3_div(f, r_sqrt(r_sqrt(r_add(r_const(1), r_mul(s, s)))));
}

cd_grab_load cd_grab_evaluate(const cd_grab* g, double t, const cd_world_motion* world)
{
    const frame   T      = world->pose[g->link];
    const spatial V      = world->velocity[g->link];
    const vec3    r      = m3_mul(T.R, v3_const(g->point));
    const vec3    p      = v3_add(T.p, r);
    const vec3    target = v3_add_scaled(v3_const(g->target), r_const(t - g->t_start), v3_const(g->target_rate));
    const vec3    speed  = v3_sub(v3_const(g->target_rate), v3_add(V.l, v3_cross(V.a, r)));
    const vec3    f = v3_add(v3_scale(r_const(g->stiffness), v3_sub(target, p)), v3_scale(r_const(g->damping), speed));
    return (cd_grab_load){p, bounded(f, g->max_force)};
}

void cd_add_grab_wrenches(int ngrab, const cd_grab* grab, double t, const cd_world_motion* world, spatial* wrench)
{
    for (const cd_grab* g = grab; g < grab + ngrab; ++g) {
        if (!g->active || g->link < 0) continue;
        const cd_grab_load load = cd_grab_evaluate(g, t, world);
        const vec3         r    = v3_sub(load.point, world->pose[g->link].p);
        wrench[g->link]         = sv_add(wrench[g->link], (spatial){v3_cross(r, load.force), load.force});
    }
}
