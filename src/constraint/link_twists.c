// SPDX-License-Identifier: BSD-3-Clause
// Twists outward, wrenches inward, in world axes at the origins of links; d: from the parent's origin.
//
//   w = wp + R s x            v = vp + wp x d + R u x
//   x += s . R'n + u . R'f    np += n + d x f,  fp += f
#include "constraint/link_twists.h"

#include "kinematics/elementary_motion.h"

void cd_link_twists(const cardan_model* m, const cd_kinematics* k, const cd_world_motion* world, const real* x,
                    spatial* twist)
{
    for (int i = 0; i < m->nlink; ++i) {
        const cd_link* link = &m->link[i];
        const frame    T    = world->pose[i];
        const spatial  P = twist[link->parent], rate = joint_twist(link, k->S, x);
        twist[i].a = v3_add(P.a, m3_mul(T.R, rate.a));
        twist[i].l = v3_add(v3_add(P.l, v3_cross(P.a, v3_sub(T.p, world->pose[link->parent].p))), m3_mul(T.R, rate.l));
    }
}

void cd_efforts_of_wrenches(const cardan_model* m, const cd_kinematics* k, const cd_world_motion* world,
                            spatial* wrench, real* x)
{
    for (int i = m->nlink - 1; i >= 0; --i) {
        const cd_link* link = &m->link[i];
        const frame    T    = world->pose[i];
        const spatial  F    = wrench[i];
        const vec3     n = m3_tmul(T.R, F.a), f = m3_tmul(T.R, F.l);
        for (int v = link->v; v < link->v + link->nv; ++v) x[v] = r_add(x[v], sv_dot(k->S[v], (spatial){n, f}));
        const vec3 moment    = v3_cross(v3_sub(T.p, world->pose[link->parent].p), F.l);
        wrench[link->parent] = sv_add(wrench[link->parent], (spatial){v3_add(F.a, moment), F.l});
    }
}
