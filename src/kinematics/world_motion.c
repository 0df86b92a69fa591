// SPDX-License-Identifier: BSD-3-Clause
// Poses, velocities and accelerations of links in world axes, by one outward pass each.
//
//   w = wp + R s                      v = vp + wp x d + R u                          d: from the parent's origin
//   alpha = alphap + wp x R s + R sdot   a = ap + alphap x d + wp x (wp x d) + 2 wp x R u + R udot
#include "kinematics/world_motion.h"

#include "kinematics/elementary_motion.h"

void cd_world_layout(const cardan_model* m, cd_arena* arena, cd_world_motion* world)
{
    CD_ARENA_ARRAY(arena, world->pose, m->nlink + 1);
    CD_ARENA_ARRAY(arena, world->velocity, m->nlink + 1);
    CD_ARENA_ARRAY(arena, world->acceleration, m->nlink + 1);
    if (!world->pose) return;
    static const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    *world->pose++             = (frame){m3_const(one), v3_zero()};
    *world->velocity++         = sv_zero();
    *world->acceleration++     = sv_zero();
}

void cd_world_poses(const cardan_model* m, const cd_kinematics* k, const real* v, cd_world_motion* world)
{
    cd_world_poses_range(m, k, v, world, 0, m->nlink);
}

void cd_world_poses_range(const cardan_model* m, const cd_kinematics* k, const real* v, cd_world_motion* world,
                          int from, int to)
{
    for (int i = from; i < to; ++i) {
        const cd_link* link = &m->link[i];
        if (cd_link_is_free(m, link)) {
            const real* u = v + link->v;
            if (world->pose != k->X) world->pose[i] = k->X[i];
            world->velocity[i] = (spatial){m3_mul(k->X[i].R, v3(u[3], u[4], u[5])), v3(u[0], u[1], u[2])};
            continue;
        }
        const frame   P = world->pose[link->parent], X = k->X[i];
        const spatial Vp     = world->velocity[link->parent];
        const frame   T      = {m3_mul_m3(P.R, X.R), v3_add(P.p, m3_mul(P.R, X.p))};
        const spatial rate   = joint_twist(link, k->S, v);
        world->pose[i]       = T;
        world->velocity[i].a = v3_add(Vp.a, m3_mul(T.R, rate.a));
        world->velocity[i].l = v3_add(v3_add(Vp.l, v3_cross(Vp.a, v3_sub(T.p, P.p))), m3_mul(T.R, rate.l));
    }
}

void cd_world_accelerations(const cardan_model* m, const cd_kinematics* k, const real* v, const real* a,
                            cd_world_motion* world)
{
    cd_world_accelerations_range(m, k, v, a, world, 0, m->nlink);
}

void cd_world_accelerations_range(const cardan_model* m, const cd_kinematics* k, const real* v, const real* a,
                                  cd_world_motion* world, int from, int to)
{
    for (int i = from; i < to; ++i) {
        const cd_link* link = &m->link[i];
        const frame    T    = world->pose[i];
        if (cd_link_is_free(m, link)) {
            const real* u          = a + link->v;
            world->acceleration[i] = (spatial){m3_mul(T.R, v3(u[3], u[4], u[5])), v3(u[0], u[1], u[2])};
            continue;
        }
        const spatial Ap = world->acceleration[link->parent];
        const vec3    wp = world->velocity[link->parent].a, d = v3_sub(T.p, world->pose[link->parent].p);
        const spatial rate   = joint_twist(link, k->S, v);
        spatial       change = joint_twist(link, k->S, a);
        if (link->motion == CD_FREE_REVERSED) change.l = v3_add(change.l, joint_bias_acceleration(link, k->S, v));
        const vec3 s = m3_mul(T.R, rate.a), u = m3_mul(T.R, rate.l);
        spatial    A;
        A.a                    = v3_add(v3_add(Ap.a, v3_cross(wp, s)), m3_mul(T.R, change.a));
        A.l                    = v3_add(v3_add(Ap.l, v3_cross(Ap.a, d)), v3_cross(wp, v3_cross(wp, d)));
        A.l                    = v3_add(v3_add(A.l, v3_scale(r_const(2), v3_cross(wp, u))), m3_mul(T.R, change.l));
        world->acceleration[i] = A;
    }
}
