// SPDX-License-Identifier: BSD-3-Clause
// The lock: relative pose of two markers, any of its six motions locked. It closes every joint type. Paper 000, section 2.
//
//   translation i   c = u.d                 u: axis i of end 0, d: from end 0 to end 1 (world axes)
//                   cdot = u.s              s = v1 - v0 - w0 x d
//                   cddot = u.(a1 - a0 - alpha0 x d - 2 w0 x s - w0 x (w0 x d))
//   rotation i      c = 2 e_i               (e0, e) = conj(q0) q1, kept with e0 >= 0
//                   cdot = g.w              w = R1'(w1 - w0),  g = e0 1_i + 1_i x e
//                   cddot = g.(R1'(alpha1 - alpha0 + w1 x w0)) + gdot.w
//   Hooke           c = a0.a1 - design      cdot = (a0 x a1).(w0 - w1)
//   screw           c = z.d - pitch theta   theta: angle about z, turns counted
//
// Quaternions, not products of axes, so that a hinge cannot close upside down.
#include "constraint/constraint.h"
#include "math/quaternion.h"

static const unsigned translations[3] = {CD_LOCK_X, CD_LOCK_Y, CD_LOCK_Z};
static const unsigned rotations[3]    = {CD_LOCK_RX, CD_LOCK_RY, CD_LOCK_RZ};

static vec3 column(mat3 R, int i) { return i == 0 ? m3_column_x(R) : i == 1 ? m3_column_y(R) : m3_column_z(R); }

static void relative_quaternion(const cd_end* end, double q[4])
{
    const mat3 R = m3_mul_m3(m3_transpose(end[0].T.R), end[1].T.R);
    q4_of_matrix((const double[9]){R.xx, R.xy, R.xz, R.yx, R.yy, R.yz, R.zx, R.zy, R.zz}, q);
}

double cd_relative_angle(const cd_end* end)
{
    double q[4];
    relative_quaternion(end, q);
    const double angle = 2 * atan2(q[3], q[0]);
    return angle > 3.14159265358979323846 ? angle - 2 * 3.14159265358979323846 : angle;
}

static void translation_row(const cd_end* end, int i, int row, cd_equations* e)
{
    const vec3 u = column(end[0].T.R, i), d = v3_sub(end[1].T.p, end[0].T.p), w = end[0].w;
    const vec3 s = v3_sub(v3_sub(end[1].v, end[0].v), v3_cross(w, d));
    e->value[row] = v3_dot(u, d);
    e->rate[row]  = v3_dot(u, s);
    e->G[2 * row]  = (spatial){v3_neg(v3_cross(v3_add(end[0].r, d), u)), v3_neg(u)};
    e->G[2 * row + 1]  = (spatial){v3_cross(end[1].r, u), u};
    const vec3 turning = v3_add(v3_scale(2, v3_cross(w, s)), v3_cross(w, v3_cross(w, d)));
    e->h[row]          = v3_dot(u, v3_sub(v3_sub(end[1].bias, end[0].bias), turning));
}

static void rotation_row(const cd_end* end, const double q[4], int i, int row, cd_equations* e)
{
    const vec3 unit = v3(i == 0, i == 1, i == 2), v = v3(q[1], q[2], q[3]);
    const vec3 w = m3_tmul(end[1].T.R, v3_sub(end[1].w, end[0].w));
    const vec3 g = v3_add_scaled(v3_cross(unit, v), q[0], unit), world = m3_mul(end[1].T.R, g);
    const double e0_rate = -v3_dot(v, w) / 2;
    const vec3   v_rate  = v3_scale(0.5, v3_add_scaled(v3_cross(v, w), q[0], w));
    e->value[row]        = 2 * q[i + 1];
    e->rate[row]         = v3_dot(g, w);
    e->G[2 * row]         = (spatial){v3_neg(world), v3_zero()};
    e->G[2 * row + 1]         = (spatial){world, v3_zero()};
    e->h[row]            = v3_dot(world, v3_cross(end[1].w, end[0].w)) + v3_dot(v3_add_scaled(v3_cross(unit, v_rate), e0_rate, unit), w);
}

static void hooke_row(const cd_constraint* c, const cd_end* end, int row, cd_equations* e)
{
    const vec3 a0 = m3_mul(end[0].T.R, v3_lift(c->axis[0])), a1 = m3_mul(end[1].T.R, v3_lift(c->axis[1]));
    const vec3 n = v3_cross(a0, a1), w = v3_sub(end[0].w, end[1].w);
    const vec3 rate = v3_add(v3_cross(v3_cross(end[0].w, a0), a1), v3_cross(a0, v3_cross(end[1].w, a1)));
    e->value[row]   = v3_dot(a0, a1) - v3_dot(v3_lift(c->axis[0]), v3_lift(c->axis[1]));
    e->rate[row]    = v3_dot(n, w);
    e->G[2 * row]    = (spatial){n, v3_zero()};
    e->G[2 * row + 1]    = (spatial){v3_neg(n), v3_zero()};
    e->h[row]       = v3_dot(rate, w);
}

static void screw_row(const cd_constraint* c, const cd_end* end, double angle, int row, cd_equations* e)
{
    const vec3   z = m3_column_z(end[0].T.R), w = v3_sub(end[1].w, end[0].w);
    const double pitch = c->parameter[0];
    translation_row(end, 2, row, e);
    e->value[row] -= pitch * angle;
    e->rate[row] -= pitch * v3_dot(z, w);
    e->G[2 * row].a = v3_add_scaled(e->G[2 * row].a, pitch, z);
    e->G[2 * row + 1].a = v3_add_scaled(e->G[2 * row + 1].a, -pitch, z);
    e->h[row] -= pitch * v3_dot(v3_cross(end[0].w, z), w);
}

static void evaluate(const cd_constraint* c, const cd_end* end, double angle, cd_equations* e)
{
    double q[4];
    int    row = 0;
    for (int i = 0; i < 3; ++i)
        if (c->locks & translations[i]) translation_row(end, i, row++, e);
    if (c->screw) screw_row(c, end, angle, row++, e);
    relative_quaternion(end, q);
    for (int i = 0; i < 3; ++i)
        if (c->locks & rotations[i]) rotation_row(end, q, i, row++, e);
    if (c->hooke) hooke_row(c, end, row++, e);
}

const cd_constraint_type cd_constraint_lock = {
    .name     = "lock",
    .summary  = "any of the six relative motions of two markers, locked",
    .evaluate = evaluate,
};
