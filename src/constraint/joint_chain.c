// SPDX-License-Identifier: BSD-3-Clause
// Pose, velocity and acceleration of the frame at the end of the elementary joints of a joint, in the axes of the first
// marker.
//
//   prismatic   p += axis q            revolute   R <- R rotation(axis, q)       screw   both, p += axis (pitch q)
#include "constraint/joint_chain.h"

#include "math/rotation.h"

#include <math.h>

bool cd_joint_is_axis_sequence(const cd_compiled_joint* joint)
{
    return joint->nelementary > 0 && joint->elementary[0].motion < CD_SPHERICAL;
}

vec3 cd_elementary_joint_axis(const cd_elementary_joint* element)
{
    const double* a = element->axis;
    if (a[0] * a[0] + a[1] * a[1] + a[2] * a[2] == 1) return v3_const(a);
    if (r_has_derivatives()) return v3_div(v3_const(a), r_sqrt(v3_dot(v3_const(a), v3_const(a))));
    const double n = hypot(hypot(a[0], a[1]), a[2]);
    return v3_const((const double[3]){a[0] / n, a[1] / n, a[2] / n});
}

cd_joint_chain cd_joint_chain_evaluate(const cd_compiled_joint* joint, const real* q, const real* v)
{
    static const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const vec3          zero   = v3_zero();
    cd_joint_chain      t      = {.R = m3_const(one), .p = zero, .w = zero, .v = zero, .alpha = zero, .a = zero};
    for (int i = 0; i < joint->nelementary; ++i) {
        const cd_elementary_joint* s       = &joint->elementary[i];
        const bool                 rotates = s->motion != CD_PRISMATIC, translates = s->motion != CD_REVOLUTE;
        const vec3                 own = cd_elementary_joint_axis(s), axis = m3_mul(t.R, own);
        const vec3                 axis_advance =
            s->motion == CD_SCREW ? v3_scale(r_const(s->pitch), axis) : axis; // per unit of the coordinate
        const vec3 d = translates ? v3_scale(q[i], axis_advance) : zero,
                   u = translates && v ? v3_scale(v[i], axis_advance) : zero;
        t.axis[i]    = axis;
        t.origin[i]  = t.p;
        if (translates && v) {
            t.a = v3_add(v3_add(t.a, v3_cross(t.alpha, d)),
                         v3_add(v3_cross(t.w, v3_cross(t.w, d)), v3_scale(r_const(2), v3_cross(t.w, u))));
            t.v = v3_add(v3_add(t.v, v3_cross(t.w, d)), u);
        }
        if (translates) t.p = v3_add(t.p, d);
        if (!rotates) continue;
        if (v) {
            const vec3 w = v3_scale(v[i], axis);
            t.alpha      = v3_add(t.alpha, v3_cross(t.w, w));
            t.w          = v3_add(t.w, w);
        }
        t.R = m3_mul_m3(t.R, m3_rotation(own, q[i]));
    }
    return t;
}

cd_joint_columns cd_joint_chain_columns(const cd_compiled_joint* joint, const cd_joint_chain* t)
{
    cd_joint_columns c = {.n = joint->nelementary};
    for (int i = 0; i < joint->nelementary; ++i) {
        const cd_elementary_joint* s = &joint->elementary[i];
        const vec3                 x = t->axis[i], lever = v3_cross(x, v3_sub(t->p, t->origin[i]));
        if (s->motion == CD_PRISMATIC) {
            c.S[i] = c.wrench_direction[i] = (spatial){v3_zero(), x};
        } else {
            c.S[i] = (spatial){x, s->motion == CD_SCREW ? v3_add_scaled(lever, r_const(s->pitch), x) : lever};
            c.wrench_direction[i] = (spatial){x, v3_zero()};
        }
    }
    return c;
}

cd_relative_state cd_relative_state_of(const cd_end_state end[2])
{
    const mat3 B = end[0].T.R;
    const vec3 d = v3_sub(end[1].T.p, end[0].T.p);
    return (cd_relative_state){m3_mul_m3(m3_transpose(B), end[1].T.R),
                               m3_tmul(B, d),
                               {m3_tmul(B, v3_sub(end[1].w, end[0].w)),
                                m3_tmul(B, v3_sub(v3_sub(end[1].v, end[0].v), v3_cross(end[0].w, d)))}};
}
