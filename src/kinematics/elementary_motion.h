// SPDX-License-Identifier: BSD-3-Clause
// Elementary motions in the recursions; the only file that distinguishes them. Revolute and prismatic motions, the most
// frequent ones, use one component; the others use their motion columns.
#pragma once

#include "kinematics/kinematics.h"

// Twist of a link relative to its parent: sum of motion columns times x (velocities or accelerations), link axes.
static inline spatial joint_twist(const cd_link* link, const spatial* S, const real* x)
{
    spatial t = sv_zero();
    if (link->motion == CD_REVOLUTE) {
        t.a.z = x[link->v];
    } else if (link->motion == CD_PRISMATIC) {
        t.l.z = x[link->v];
    } else {
        for (int i = link->v; i < link->v + link->nv; ++i) t = sv_add_scaled(t, x[i], S[i]);
    }
    return t;
}

// Efforts along the velocities of a link: motion columns times wrench.
static inline void joint_effort(const cd_link* link, const spatial* S, vec3 n, vec3 f, real* tau)
{
    if (link->motion == CD_REVOLUTE) {
        tau[link->v] = n.z;
    } else if (link->motion == CD_PRISMATIC) {
        tau[link->v] = f.z;
    } else {
        for (int i = link->v; i < link->v + link->nv; ++i) tau[i] = sv_dot(S[i], (spatial){n, f});
    }
}

// Bias acceleration of a reversed free joint, whose motion columns change with its coordinates:
//   relative acceleration = columns * a + 2 (R w) x xdot + (R w) x (x x R w)
static inline vec3 joint_bias_acceleration(const cd_link* link, const spatial* S, const real* v)
{
    const real* u = v + link->v;
    // columns 0..2 are -1 on xdot; columns 3..5 are (-R w, -x x R w)
    vec3 Rw = v3_zero(), xRw = v3_zero();
    for (int i = 3; i < 6; ++i) {
        Rw  = v3_add_scaled(Rw, r_neg(u[i]), S[link->v + i].a);
        xRw = v3_add_scaled(xRw, r_neg(u[i]), S[link->v + i].l);
    }
    const vec3 xdot = v3(u[0], u[1], u[2]);
    return v3_add(v3_scale(r_const(2), v3_cross(Rw, xdot)), v3_cross(Rw, xRw));
}
