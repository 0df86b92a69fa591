// SPDX-License-Identifier: BSD-3-Clause
// Named operations over `real`: vectors, rotations, symmetric matrices, spatial vectors, inertias. Recursions are
// written with these names, independent of the number type.
//
// Spatial vectors are angular first. A frame (R, p) is the pose of a child in its parent: x_parent = p + R x_child.
#pragma once

#include "math/number.h"

typedef struct vec3 {
    real x, y, z;
} vec3;
typedef struct mat3 {
    real xx, xy, xz, yx, yy, yz, zx, zy, zz;
} mat3;
typedef struct sym3 {
    real xx, yy, zz, xy, xz, yz;
} sym3;
typedef struct spatial {
    vec3 a, l;
} spatial; // angular, linear: twist (w, v) or wrench (n, f)
typedef struct frame {
    mat3 R;
    vec3 p;
} frame;
typedef struct rigid {
    real m;
    vec3 h;
    sym3 I;
} rigid; // mass, m * centre, inertia about the origin
typedef struct articulated_inertia {
    sym3 A;
    mat3 H;
    sym3 M;
} articulated_inertia; // articulated: n = A alpha + H a,  f = H' alpha + M a

// ---- vectors

static inline vec3   v3(real x, real y, real z) { return (vec3){x, y, z}; }
static inline vec3   v3_const(const double c[3]) { return v3(r_const(c[0]), r_const(c[1]), r_const(c[2])); }
static inline vec3   v3_unit(int i) { return v3(r_const(i == 0), r_const(i == 1), r_const(i == 2)); }
static inline vec3   v3_zero(void) { return v3(r_const(0), r_const(0), r_const(0)); }
static inline vec3   v3_add(vec3 a, vec3 b) { return v3(r_add(a.x, b.x), r_add(a.y, b.y), r_add(a.z, b.z)); }
static inline vec3   v3_sub(vec3 a, vec3 b) { return v3(r_sub(a.x, b.x), r_sub(a.y, b.y), r_sub(a.z, b.z)); }
static inline vec3   v3_neg(vec3 a) { return v3(r_neg(a.x), r_neg(a.y), r_neg(a.z)); }
static inline vec3   v3_scale(real s, vec3 a) { return v3(r_mul(s, a.x), r_mul(s, a.y), r_mul(s, a.z)); }
static inline vec3   v3_add_scaled(vec3 a, real s, vec3 b) { return v3_add(a, v3_scale(s, b)); }
static inline vec3   v3_div(vec3 a, real s) { return v3_scale(r_div(r_const(1), s), a); }
static inline real   v3_dot(vec3 a, vec3 b) { return r_add(r_add(r_mul(a.x, b.x), r_mul(a.y, b.y)), r_mul(a.z, b.z)); }
static inline double v3_length(vec3 a) { return sqrt(r_value(v3_dot(a, a))); } // for decisions at the state
static inline real   v3_component(vec3 a, int i) { return i == 0 ? a.x : i == 1 ? a.y : a.z; }
static inline vec3   v3_cross(vec3 a, vec3 b)
{
    return v3(r_sub(r_mul(a.y, b.z), r_mul(a.z, b.y)), r_sub(r_mul(a.z, b.x), r_mul(a.x, b.z)),
              r_sub(r_mul(a.x, b.y), r_mul(a.y, b.x)));
}

// ---- matrices

static inline mat3 m3_const(const double c[9])
{
    return (mat3){r_const(c[0]), r_const(c[1]), r_const(c[2]), r_const(c[3]), r_const(c[4]),
                  r_const(c[5]), r_const(c[6]), r_const(c[7]), r_const(c[8])};
}
static inline vec3 m3_column_x(mat3 A) { return v3(A.xx, A.yx, A.zx); }
static inline vec3 m3_column_y(mat3 A) { return v3(A.xy, A.yy, A.zy); }
static inline vec3 m3_column_z(mat3 A) { return v3(A.xz, A.yz, A.zz); }
static inline vec3 m3_column(mat3 A, int i)
{
    return i == 0 ? m3_column_x(A) : i == 1 ? m3_column_y(A) : m3_column_z(A);
}
static inline vec3 m3_row_z(mat3 A) { return v3(A.zx, A.zy, A.zz); }
static inline mat3 m3_columns(vec3 x, vec3 y, vec3 z) { return (mat3){x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z}; }
static inline mat3 m3_transpose(mat3 A) { return (mat3){A.xx, A.yx, A.zx, A.xy, A.yy, A.zy, A.xz, A.yz, A.zz}; }
static inline vec3 m3_mul(mat3 A, vec3 b)
{
    return v3(v3_dot(v3(A.xx, A.xy, A.xz), b), v3_dot(v3(A.yx, A.yy, A.yz), b), v3_dot(v3(A.zx, A.zy, A.zz), b));
}
static inline vec3 m3_tmul(mat3 A, vec3 b) { return m3_mul(m3_transpose(A), b); } // A' b
static inline mat3 m3_mul_m3(mat3 A, mat3 B)
{
    return m3_columns(m3_mul(A, m3_column_x(B)), m3_mul(A, m3_column_y(B)), m3_mul(A, m3_column_z(B)));
}
static inline mat3 m3_add(mat3 A, mat3 B)
{
    return (mat3){r_add(A.xx, B.xx), r_add(A.xy, B.xy), r_add(A.xz, B.xz), r_add(A.yx, B.yx), r_add(A.yy, B.yy),
                  r_add(A.yz, B.yz), r_add(A.zx, B.zx), r_add(A.zy, B.zy), r_add(A.zz, B.zz)};
}
static inline mat3 m3_sub_outer(mat3 A, vec3 a, vec3 b) // A - a b'
{
    return (mat3){r_sub(A.xx, r_mul(a.x, b.x)), r_sub(A.xy, r_mul(a.x, b.y)), r_sub(A.xz, r_mul(a.x, b.z)),
                  r_sub(A.yx, r_mul(a.y, b.x)), r_sub(A.yy, r_mul(a.y, b.y)), r_sub(A.yz, r_mul(a.y, b.z)),
                  r_sub(A.zx, r_mul(a.z, b.x)), r_sub(A.zy, r_mul(a.z, b.y)), r_sub(A.zz, r_mul(a.z, b.z))};
}
// R times a rotation about z with sine s and cosine c
static inline mat3 m3_rotate_z(mat3 R, real s, real c)
{
    const vec3 x = m3_column_x(R), y = m3_column_y(R);
    return m3_columns(v3_add(v3_scale(c, x), v3_scale(s, y)), v3_sub(v3_scale(c, y), v3_scale(s, x)), m3_column_z(R));
}
// Rotation of a unit quaternion (scalar first): body axes to outer axes
static inline mat3 m3_quaternion(const real q[4])
{
    const real two = r_const(2), one = r_const(1);
    const real e1 = r_mul(two, q[1]), e2 = r_mul(two, q[2]), e3 = r_mul(two, q[3]);
    const real xx = r_mul(e1, q[1]), yy = r_mul(e2, q[2]), zz = r_mul(e3, q[3]);
    const real xy = r_mul(e1, q[2]), xz = r_mul(e1, q[3]), yz = r_mul(e2, q[3]);
    const real wx = r_mul(e1, q[0]), wy = r_mul(e2, q[0]), wz = r_mul(e3, q[0]);
    return (mat3){r_sub(one, r_add(yy, zz)), r_sub(xy, wz), r_add(xz, wy), r_add(xy, wz),
                  r_sub(one, r_add(xx, zz)), r_sub(yz, wx), r_sub(xz, wy), r_add(yz, wx),
                  r_sub(one, r_add(xx, yy))};
}

// ---- symmetric matrices

static inline sym3 s3_const(const double c[6])
{
    return (sym3){r_const(c[0]), r_const(c[1]), r_const(c[2]), r_const(c[3]), r_const(c[4]), r_const(c[5])};
}
static inline sym3 s3_add(sym3 A, sym3 B)
{
    return (sym3){r_add(A.xx, B.xx), r_add(A.yy, B.yy), r_add(A.zz, B.zz),
                  r_add(A.xy, B.xy), r_add(A.xz, B.xz), r_add(A.yz, B.yz)};
}
static inline vec3 s3_mul(sym3 A, vec3 b)
{
    return v3(v3_dot(v3(A.xx, A.xy, A.xz), b), v3_dot(v3(A.xy, A.yy, A.yz), b), v3_dot(v3(A.xz, A.yz, A.zz), b));
}
static inline sym3 s3_sub_outer(sym3 A, vec3 a, vec3 b) // A - a b', for symmetric a b'
{
    return (sym3){r_sub(A.xx, r_mul(a.x, b.x)), r_sub(A.yy, r_mul(a.y, b.y)), r_sub(A.zz, r_mul(a.z, b.z)),
                  r_sub(A.xy, r_mul(a.x, b.y)), r_sub(A.xz, r_mul(a.x, b.z)), r_sub(A.yz, r_mul(a.y, b.z))};
}
// sum over columns: a x' + b y' + c z', given that the sum is symmetric
static inline sym3 s3_outer_sum(vec3 a, vec3 x, vec3 b, vec3 y, vec3 c, vec3 z)
{
    return (sym3){r_add(r_add(r_mul(a.x, x.x), r_mul(b.x, y.x)), r_mul(c.x, z.x)),
                  r_add(r_add(r_mul(a.y, x.y), r_mul(b.y, y.y)), r_mul(c.y, z.y)),
                  r_add(r_add(r_mul(a.z, x.z), r_mul(b.z, y.z)), r_mul(c.z, z.z)),
                  r_add(r_add(r_mul(a.x, x.y), r_mul(b.x, y.y)), r_mul(c.x, z.y)),
                  r_add(r_add(r_mul(a.x, x.z), r_mul(b.x, y.z)), r_mul(c.x, z.z)),
                  r_add(r_add(r_mul(a.y, x.z), r_mul(b.y, y.z)), r_mul(c.y, z.z))};
}
static inline sym3 s3_rotate(mat3 R, sym3 S) // R S R'
{
    const vec3 x = m3_mul(R, v3(S.xx, S.xy, S.xz)), y = m3_mul(R, v3(S.xy, S.yy, S.yz)),
               z = m3_mul(R, v3(S.xz, S.yz, S.zz));
    return s3_outer_sum(x, m3_column_x(R), y, m3_column_y(R), z, m3_column_z(R));
}

// ---- spatial vectors

static inline spatial sv_zero(void) { return (spatial){v3_zero(), v3_zero()}; }
static inline spatial sv_add(spatial a, spatial b) { return (spatial){v3_add(a.a, b.a), v3_add(a.l, b.l)}; }
static inline spatial sv_scale(real s, spatial a) { return (spatial){v3_scale(s, a.a), v3_scale(s, a.l)}; }
static inline spatial sv_add_scaled(spatial a, real s, spatial b) { return sv_add(a, sv_scale(s, b)); }
static inline real    sv_dot(spatial a, spatial b) { return r_add(v3_dot(a.a, b.a), v3_dot(a.l, b.l)); }

// motion of the child's origin due to the parent's motion, child axes: w' = R' w, v' = R' (v + w x p)
static inline spatial sv_motion_to_child(frame X, spatial V)
{
    return (spatial){m3_tmul(X.R, V.a), m3_tmul(X.R, v3_add(V.l, v3_cross(V.a, X.p)))};
}
// wrench on the child, transformed to the parent's origin and axes: f = R f', n = R n' + p x f
static inline spatial sv_force_to_parent(frame X, spatial F)
{
    const vec3 f = m3_mul(X.R, F.l);
    return (spatial){v3_add(m3_mul(X.R, F.a), v3_cross(X.p, f)), f};
}

// ---- inertias

static inline spatial rigid_mul(rigid I, spatial V) // n = I w + h x v,  f = m v - h x w
{
    return (spatial){v3_add(s3_mul(I.I, V.a), v3_cross(I.h, V.l)), v3_sub(v3_scale(I.m, V.l), v3_cross(I.h, V.a))};
}
static inline rigid rigid_add(rigid a, rigid b) { return (rigid){r_add(a.m, b.m), v3_add(a.h, b.h), s3_add(a.I, b.I)}; }
// the same inertia in the parent's frame: h = R h' + m p,  I = R I' R' + shift to the parent's origin
//   shift = (h.p + g.p) 1 - sym(h p' + g p') with g = R h' : integral of |r|^2 1 - r r', r = p + R r'
static inline rigid rigid_to_parent(frame X, rigid I)
{
    const vec3 g = m3_mul(X.R, I.h), h = v3_add_scaled(g, I.m, X.p), k = v3_add(g, h);
    const real kx = r_mul(k.x, X.p.x), ky = r_mul(k.y, X.p.y), kz = r_mul(k.z, X.p.z);
    const sym3 S = s3_rotate(X.R, I.I);
    rigid      J = {I.m, h, S};
    J.I.xx       = r_add(S.xx, r_add(ky, kz));
    J.I.yy       = r_add(S.yy, r_add(kx, kz));
    J.I.zz       = r_add(S.zz, r_add(kx, ky));
    J.I.xy       = r_sub(S.xy, r_add(r_mul(g.x, X.p.y), r_mul(h.y, X.p.x)));
    J.I.xz       = r_sub(S.xz, r_add(r_mul(g.x, X.p.z), r_mul(h.z, X.p.x)));
    J.I.yz       = r_sub(S.yz, r_add(r_mul(g.y, X.p.z), r_mul(h.z, X.p.y)));
    return J;
}
static inline articulated_inertia articulated_of_rigid(rigid I)
{
    const real z = r_const(0);
    return (articulated_inertia){
        I.I, {z, r_neg(I.h.z), I.h.y, I.h.z, z, r_neg(I.h.x), r_neg(I.h.y), I.h.x, z}, {I.m, I.m, I.m, z, z, z}};
}
static inline spatial articulated_mul(articulated_inertia I, spatial A)
{
    return (spatial){v3_add(s3_mul(I.A, A.a), m3_mul(I.H, A.l)), v3_add(m3_tmul(I.H, A.a), s3_mul(I.M, A.l))};
}
static inline articulated_inertia articulated_add(articulated_inertia a, articulated_inertia b)
{
    return (articulated_inertia){s3_add(a.A, b.A), m3_add(a.H, b.H), s3_add(a.M, b.M)};
}
static inline articulated_inertia articulated_sub_outer(articulated_inertia I, spatial U,
                                                        spatial W) // I - U W', for symmetric U W'
{
    return (articulated_inertia){s3_sub_outer(I.A, U.a, W.a), m3_sub_outer(I.H, U.a, W.l), s3_sub_outer(I.M, U.l, W.l)};
}
// articulated inertia from child to parent: rotate the blocks, then shift by p:
//   K = H + p~ M,   A_parent = A + p~ H' - K p~,   H_parent = K,   M_parent = M
static inline articulated_inertia articulated_shift(vec3 p, articulated_inertia I)
{
    const mat3 H  = I.H;
    const sym3 M  = I.M;
    const vec3 kx = v3_cross(p, v3(M.xx, M.xy, M.xz)), ky = v3_cross(p, v3(M.xy, M.yy, M.yz)),
               kz = v3_cross(p, v3(M.xz, M.yz, M.zz));
    const mat3 K  = m3_add(H, m3_columns(kx, ky, kz));
    // columns of p~ H' are p x (row of H); rows of K p~ are (row of K) x p
    const vec3 ax = v3_cross(p, v3(H.xx, H.xy, H.xz)), ay = v3_cross(p, v3(H.yx, H.yy, H.yz)),
               az = v3_cross(p, v3(H.zx, H.zy, H.zz));
    const vec3 bx = v3_cross(v3(K.xx, K.xy, K.xz), p), by = v3_cross(v3(K.yx, K.yy, K.yz), p),
               bz         = v3_cross(v3(K.zx, K.zy, K.zz), p);
    articulated_inertia J = {I.A, K, M};
    J.A.xx                = r_add(I.A.xx, r_sub(ax.x, bx.x));
    J.A.yy                = r_add(I.A.yy, r_sub(ay.y, by.y));
    J.A.zz                = r_add(I.A.zz, r_sub(az.z, bz.z));
    J.A.xy                = r_add(I.A.xy, r_sub(ay.x, bx.y));
    J.A.xz                = r_add(I.A.xz, r_sub(az.x, bx.z));
    J.A.yz                = r_add(I.A.yz, r_sub(az.y, by.z));
    return J;
}
static inline articulated_inertia articulated_to_parent(frame X, articulated_inertia I)
{
    const mat3                T = m3_mul_m3(X.R, m3_mul_m3(I.H, m3_transpose(X.R)));
    const articulated_inertia J = {s3_rotate(X.R, I.A), T, s3_rotate(X.R, I.M)};
    return articulated_shift(X.p, J);
}
// the same for a revolute joint about z, whose articulated inertia about z is zero: the third rows of A and H are zero
static inline articulated_inertia articulated_to_parent_hinge(frame X, articulated_inertia I)
{
    const vec3 x = m3_column_x(X.R), y = m3_column_y(X.R), z = m3_column_z(X.R);
    // A = sum over the x y block
    const vec3 ax = v3_add(v3_scale(I.A.xx, x), v3_scale(I.A.xy, y)),
               ay = v3_add(v3_scale(I.A.xy, x), v3_scale(I.A.yy, y));
    sym3 A;
    A.xx = r_add(r_mul(ax.x, x.x), r_mul(ay.x, y.x));
    A.yy = r_add(r_mul(ax.y, x.y), r_mul(ay.y, y.y));
    A.zz = r_add(r_mul(ax.z, x.z), r_mul(ay.z, y.z));
    A.xy = r_add(r_mul(ax.x, x.y), r_mul(ay.x, y.y));
    A.xz = r_add(r_mul(ax.x, x.z), r_mul(ay.x, y.z));
    A.yz = r_add(r_mul(ax.y, x.z), r_mul(ay.y, y.z));
    // H = x hx' + y hy', hx and hy its first two rows in outer axes
    const vec3 hx = v3_add(v3_add(v3_scale(I.H.xx, x), v3_scale(I.H.xy, y)), v3_scale(I.H.xz, z));
    const vec3 hy = v3_add(v3_add(v3_scale(I.H.yx, x), v3_scale(I.H.yy, y)), v3_scale(I.H.yz, z));
    const mat3 H =
        m3_columns(v3_add(v3_scale(hx.x, x), v3_scale(hy.x, y)), v3_add(v3_scale(hx.y, x), v3_scale(hy.y, y)),
                   v3_add(v3_scale(hx.z, x), v3_scale(hy.z, y)));
    const articulated_inertia J = {A, H, s3_rotate(X.R, I.M)};
    return articulated_shift(X.p, J);
}
