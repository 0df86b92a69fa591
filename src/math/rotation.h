// SPDX-License-Identifier: BSD-3-Clause
// Conversions between rotation matrices, quaternions (scalar first) and rotation vectors over `real`. quaternion.h has
// the same in doubles, for computations once per model.
#pragma once

#include "math/pi.h"
#include "math/spatial.h"

// Quaternion of R from its component k, which must not be small: S. W. Shepperd, J. Guidance and Control 1 (1978)
// 223-224.
static inline void quaternion_by_component(mat3 R, int k, real q[4])
{
    const real d[3] = {R.xx, R.yy, R.zz}, one = r_const(1);
    const real skew[3] = {r_sub(R.zy, R.yz), r_sub(R.xz, R.zx), r_sub(R.yx, R.xy)}; // 4 e0 e_i
    const real sum[3]  = {r_add(R.zy, R.yz), r_add(R.xz, R.zx), r_add(R.yx, R.xy)}; // 4 e_j e_k
    if (k == 0) {
        const real s = r_scale(2, r_sqrt(r_add(one, r_add(r_add(d[0], d[1]), d[2]))));
        q[0]         = r_scale(0.25, s);
        for (int i = 0; i < 3; ++i) q[i + 1] = r_div(skew[i], s);
        return;
    }
    const int  i = k - 1, j = (i + 1) % 3, l = (i + 2) % 3;
    const real square = r_sub(r_sub(r_add(one, d[i]), d[j]), d[l]);
    const real s      = r_scale(2, r_sqrt(r_can_branch() && r_value(square) < 0 ? r_const(0) : square));
    q[0]              = r_div(skew[i], s);
    q[i + 1]          = r_scale(0.25, s);
    q[j + 1]          = r_div(sum[l], s);
    q[l + 1]          = r_div(sum[j], s);
}

// 1 / |q| if | |q|^2 - 1 | > 1e-15, else 1; by series without an unpredictable branch.
static inline real inverse_norm(real square)
{
    const real off = r_flush_below(r_sub(square, r_const(1)), 1e-15);
    if (fabs(r_value(off)) > 1e-6) return r_div(r_const(1), r_sqrt(square));
    return r_sub(r_const(1), r_mul(off, r_sub(r_const(0.5), r_scale(0.375, off))));
}

static inline void quaternion_normalize(real q[4])
{
    if (!r_can_branch()) return;
    const real f =
        inverse_norm(r_add(r_add(r_mul(q[0], q[0]), r_mul(q[1], q[1])), r_add(r_mul(q[2], q[2]), r_mul(q[3], q[3]))));
    q[0] = r_mul(f, q[0]), q[1] = r_mul(f, q[1]), q[2] = r_mul(f, q[2]), q[3] = r_mul(f, q[3]);
}

// Quaternion of a rotation matrix, scalar part not negative.
static inline void quaternion_of_matrix(mat3 R, real q[4])
{
    const real zero = r_const(0), trace = r_add(r_add(R.xx, R.yy), R.zz);
    if (r_can_branch()) {
        const double x = r_value(R.xx), y = r_value(R.yy), z = r_value(R.zz);
        quaternion_by_component(R, r_value(trace) > 0 ? 0 : x > y ? (x > z ? 1 : 3) : (y > z ? 2 : 3), q);
        if (r_value(q[0]) < 0)
            for (int i = 0; i < 4; ++i) q[i] = r_neg(q[i]);
        quaternion_normalize(q);
        return;
    }
    real all[4][4];
    for (int k = 0; k < 4; ++k) quaternion_by_component(R, k, all[k]);
    for (int i = 0; i < 4; ++i) {
        const real y = r_select(R.zz, R.yy, all[2][i], all[3][i]), x = r_select(R.zz, R.xx, all[1][i], all[3][i]);
        all[1][i] = r_select(R.yy, R.xx, x, y);
    }
    for (int i = 0; i < 4; ++i) {
        const real other = r_select(all[1][0], zero, r_neg(all[1][i]), all[1][i]);
        q[i]             = r_select(zero, trace, all[0][i], other);
    }
}

static inline mat3 m3_relative(mat3 R0, mat3 R1) { return m3_mul_m3(m3_transpose(R0), R1); } // R1 relative to R0

// Angle of the twist about a unit axis, 2 atan2(axis.e, e0). Both arguments are multiplied by 4 e0, without a root, if
// that is not small.
static inline real swing_twist_angle(mat3 R, vec3 axis)
{
    const real square = r_add(r_add(r_add(r_const(1), R.xx), R.yy), R.zz); // 4 e0^2
    real       q[4];
    if (r_can_branch() && r_value(square) > 1)
        return r_scale(2, r_atan2(v3_dot(axis, v3(r_sub(R.zy, R.yz), r_sub(R.xz, R.zx), r_sub(R.yx, R.xy))), square));
    quaternion_of_matrix(R, q);
    return r_scale(2, r_atan2(v3_dot(axis, v3(q[1], q[2], q[3])), q[0]));
}

// Rotation by an angle about a unit axis: exp of angle * axis.
static inline mat3 m3_rotation(vec3 axis, real angle)
{
    real s, c;
    r_sincos(r_scale(0.5, angle), &s, &c);
    return m3_quaternion((const real[4]){c, r_mul(s, axis.x), r_mul(s, axis.y), r_mul(s, axis.z)});
}

// log: rotation vector of the shorter rotation, 2 asin(s)/s = 2 + s^2/3 + ... times the vector part of length s.
static inline vec3 rotation_vector(const real q[4])
{
    const vec3 e = v3(q[1], q[2], q[3]), back = v3_neg(e);
    const real zero = r_const(0), square = v3_dot(e, e), sine = r_sqrt(square);
    const real e0 = r_select(q[0], zero, r_neg(q[0]), q[0]);
    const vec3 u =
        v3(r_select(q[0], zero, back.x, e.x), r_select(q[0], zero, back.y, e.y), r_select(q[0], zero, back.z, e.z));
    const real series = r_add(r_const(2), r_scale(1.0 / 3, square)), small = r_const(1e-10);
    if (r_can_branch() && r_value(square) < 1e-10) return v3_scale(series, u);
    const real closed = r_div(r_scale(2, r_atan2(sine, e0)), sine);
    return v3_scale(r_can_branch() ? closed : r_select(square, small, series, closed), u);
}

// Angle plus the multiple of 2 pi that is nearest to `previous`.
static inline real nearest_winding(real angle, real previous)
{
    return r_add(angle, r_scale(2 * CD_PI, r_round(r_scale(1 / (2 * CD_PI), r_sub(previous, angle)))));
}
