// SPDX-License-Identifier: BSD-3-Clause
// Walking the steps of a joint: pose, velocity and acceleration of the frame they lead to, in the axes of the first
// marker.
//
//   slide   p += axis q                hinge   R <- R turn(axis, q)              helix   both, p += axis (pitch q)
#include "constraint/steps.h"

#include "math/rotation.h"

#include <math.h>

bool cd_is_sequence(const cd_joint_info* joint) { return joint->nstep > 0 && joint->step[0].motion < CD_BALL; }

vec3 cd_step_axis(const cd_step* step)
{
    const double* a = step->axis;
    if (a[0] * a[0] + a[1] * a[1] + a[2] * a[2] == 1) return v3_lift(a);
    if (r_derives()) return v3_over(v3_lift(a), r_sqrt(v3_dot(v3_lift(a), v3_lift(a))));
    const double n = hypot(hypot(a[0], a[1]), a[2]);
    return v3_lift((const double[3]){a[0] / n, a[1] / n, a[2] / n});
}

cd_walk cd_walk_steps(const cd_joint_info* joint, const real* q, const real* v)
{
    static const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const vec3          zero   = v3_zero();
    cd_walk             t      = {.R = m3_lift(one), .p = zero, .w = zero, .v = zero, .alpha = zero, .a = zero};
    for (int i = 0; i < joint->nstep; ++i) {
        const cd_step* s    = &joint->step[i];
        const bool     spin = s->motion != CD_SLIDE, slide = s->motion != CD_HINGE;
        const vec3     own = cd_step_axis(s), axis = m3_mul(t.R, own);
        const vec3 way = s->motion == CD_HELIX ? v3_scale(r_lift(s->pitch), axis) : axis; // per unit of the coordinate
        const vec3 d = slide ? v3_scale(q[i], way) : zero, u = slide && v ? v3_scale(v[i], way) : zero;
        t.axis[i]  = axis;
        t.place[i] = t.p;
        if (slide && v) {
            t.a = v3_add(v3_add(t.a, v3_cross(t.alpha, d)),
                         v3_add(v3_cross(t.w, v3_cross(t.w, d)), v3_scale(r_lift(2), v3_cross(t.w, u))));
            t.v = v3_add(v3_add(t.v, v3_cross(t.w, d)), u);
        }
        if (slide) t.p = v3_add(t.p, d);
        if (!spin) continue;
        if (v) {
            const vec3 w = v3_scale(v[i], axis);
            t.alpha      = v3_add(t.alpha, v3_cross(t.w, w));
            t.w          = v3_add(t.w, w);
        }
        t.R = m3_mul_m3(t.R, m3_turn(own, q[i]));
    }
    return t;
}

cd_joint_columns cd_walk_columns(const cd_joint_info* joint, const cd_walk* t)
{
    cd_joint_columns c = {.n = joint->nstep};
    for (int i = 0; i < joint->nstep; ++i) {
        const cd_step* s = &joint->step[i];
        const vec3     x = t->axis[i], swing = v3_cross(x, v3_sub(t->p, t->place[i]));
        if (s->motion == CD_SLIDE) {
            c.S[i] = c.d[i] = (spatial){v3_zero(), x};
        } else {
            c.S[i] = (spatial){x, s->motion == CD_HELIX ? v3_add_scaled(swing, r_lift(s->pitch), x) : swing};
            c.d[i] = (spatial){x, v3_zero()};
        }
    }
    return c;
}

cd_seen cd_see(const cd_end end[2])
{
    const mat3 B = end[0].T.R;
    const vec3 d = v3_sub(end[1].T.p, end[0].T.p);
    return (cd_seen){m3_mul_m3(m3_transpose(B), end[1].T.R),
                     m3_tmul(B, d),
                     {m3_tmul(B, v3_sub(end[1].w, end[0].w)),
                      m3_tmul(B, v3_sub(v3_sub(end[1].v, end[0].v), v3_cross(end[0].w, d)))}};
}
