// SPDX-License-Identifier: BSD-3-Clause
// Exact nearest points of two features with a common normal n from B to A. Points x of the features with the outward normals
// m_A = -n, m_B = n:
//
//   point       x = p
//   circle      x = c + R e,         e the part of m across the axis, normalized;   H = R t t'/|m across the axis|
//   ellipsoid   x = D^2 m/|D m|,     H = D^2/s - D^2 m m' D^2/s^3,  s = |D m|
//   line        x = o + z u,         with the condition u.n = 0
//
// where dx = H dm. The tangential part of a - b is zero: Newton's equations for the change e of n and the changes of z are
//
//   (H_A + H_B + d I) e - u_A dz_A + u_B dz_B = (a - b) tangential,   u_A.e = -u_A.n,   u_B.e = -u_B.n
//
// with d = n.(a - b). They are regular where the features touch (d = 0). A plane has a given normal.
#include "contact/convex/convex.h"
#include "contact/contact_tolerances.h"
#include "contact/small_solve.h"

typedef struct side {
    cd_core_feature      f; // in the axes of the pair
    const cd_shape_pose* pose;
    double               sign; // outward normal m = sign n
    double               z;    // along a line
} side;

// Point of the feature with the outward normal m, and H in the basis t (without a line: zero).
static d3 evaluate(const side* s, d3 m, const d3 t[2], double H[2][2])
{
    memset(H, 0, 4 * sizeof(double));
    if (s->f.kind == CD_CORE_CIRCLE) {
        const d3     across = d3_reject(m, s->f.axis);
        const double length = d3_norm(across);
        const d3     e = d3_scale(1 / length, across), along = d3_cross(s->f.axis, e);
        for (int i = 0; i < 2; ++i)
            for (int j = 0; j < 2; ++j) H[i][j] = s->f.radius / length * d3_dot(along, t[i]) * d3_dot(along, t[j]);
        return d3_add_scaled(s->f.origin, s->f.radius, e);
    }
    if (s->f.kind == CD_CORE_ELLIPSOID) {
        const d3     D = s->f.semi_axes, q = d3_rotate_back(s->pose->R, m);
        const d3     scaled = {{D.e[0] * q.e[0], D.e[1] * q.e[1], D.e[2] * q.e[2]}};
        const double length = d3_norm(scaled);
        d3           y[2], x;
        for (int i = 0; i < 2; ++i) {
            y[i] = d3_rotate_back(s->pose->R, t[i]);
            for (int k = 0; k < 3; ++k) y[i].e[k] *= D.e[k];
        }
        for (int i = 0; i < 2; ++i)
            for (int j = 0; j < 2; ++j)
                H[i][j] =
                    (d3_dot(y[i], y[j]) - d3_dot(y[i], scaled) * d3_dot(y[j], scaled) / (length * length)) / length;
        for (int k = 0; k < 3; ++k) x.e[k] = D.e[k] * scaled.e[k] / length;
        return cd_to_world(s->pose, x);
    }
    return s->f.kind == CD_CORE_LINE ? d3_add_scaled(s->f.origin, s->z, s->f.axis) : s->f.origin;
}

// One Newton step; its size in *change. False: the equations are singular.
static bool step(side* A, side* B, double length, d3* n, double* change)
{
    const d3     t0 = d3_orthogonal(*n), t[2] = {t0, d3_cross(*n, t0)};
    double       H[2][2][2], M[16] = {0}, Y[4] = {0};
    const d3     a = evaluate(A, d3_neg(*n), t, H[0]), b = evaluate(B, *n, t, H[1]), away = d3_sub(a, b);
    side* const  ends[2] = {A, B};
    const double d       = d3_dot(away, *n);
    int          size = 2, column[2] = {-1, -1};
    for (int k = 0; k < 2; ++k)
        if (ends[k]->f.kind == CD_CORE_LINE) column[k] = size++;
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) M[i * size + j] = (H[0][i][j] + H[1][i][j] + (i == j ? d : 0)) / length;
        Y[i] = d3_dot(away, t[i]) / length;
    }
    for (int k = 0; k < 2; ++k) {
        if (column[k] < 0) continue;
        for (int i = 0; i < 2; ++i) {
            const double u          = d3_dot(ends[k]->f.axis, t[i]);
            M[i * size + column[k]] = ends[k]->sign * u;
            M[column[k] * size + i] = u;
        }
        Y[column[k]] = -d3_dot(ends[k]->f.axis, *n);
    }
    if (!cd_small_solve(size, M, 1, Y, cd_singular_pivot)) return false;
    const double turn = hypot(Y[0], Y[1]), limit = turn > 0.5 ? 0.5 / turn : 1;
    *change = turn;
    *n      = d3_unit(d3_add_scaled(d3_add_scaled(*n, limit * Y[0], t[0]), limit * Y[1], t[1]));
    for (int k = 0; k < 2; ++k) {
        if (column[k] < 0) continue;
        ends[k]->z += length * Y[column[k]];
        *change = fmax(*change, fabs(Y[column[k]]));
    }
    return true;
}

static side side_of(const cd_shape_geometry* g, const cd_shape_pose* pose, uint32_t feature, double sign, d3 near)
{
    side s = {.pose = pose, .sign = sign};
    cd_shape_type_of(g)->feature(g, feature, &s.f);
    s.f.origin = cd_to_world(pose, s.f.origin);
    s.f.axis   = d3_rotate(pose->R, s.f.axis);
    s.z        = d3_dot(d3_sub(near, s.f.origin), s.f.axis);
    // a line with a radius of its own (the side of a cylinder): the core of the shape is around it
    s.f.offset -= cd_shape_type_of(g)->offset(g);
    return s;
}

// Nearest points where one feature is a plane, whose normal is n.
static bool with_plane(const side* P, const side* X, d3 near, d3* on_plane, d3* on_X)
{
    const d3 m = d3_neg(P->f.axis); // outward normal of X
    double   H[2][2];
    const d3 t[2] = {d3_zero(), d3_zero()};
    if (X->f.kind == CD_CORE_CIRCLE && !(d3_norm(d3_cross(m, X->f.axis)) > cd_extreme_slope)) return false;
    *on_X = X->f.kind == CD_CORE_PLANE ? d3_add_scaled(near, d3_dot(d3_sub(X->f.origin, near), X->f.axis), X->f.axis)
                                       : d3_add_scaled(evaluate(X, m, t, H), X->f.offset, m);
    *on_plane = d3_add_scaled(*on_X, -d3_dot(d3_sub(*on_X, P->f.origin), P->f.axis), P->f.axis);
    return true;
}

bool cd_common_normal(const cd_pair* p, cd_convex_result* r)
{
    side A = side_of(p->A, p->pose_A, r->feature[0], -1, r->a), B = side_of(p->B, p->pose_B, r->feature[1], 1, r->b);
    const double length = cd_pair_length(p);
    if (A.f.kind == CD_CORE_PLANE || B.f.kind == CD_CORE_PLANE) {
        const bool by_A = A.f.kind == CD_CORE_PLANE;
        if (!(by_A ? with_plane(&A, &B, r->b, &r->a, &r->b) : with_plane(&B, &A, r->a, &r->b, &r->a))) return false;
        r->n = by_A ? d3_neg(A.f.axis) : B.f.axis;
        r->d = d3_dot(r->n, d3_sub(r->a, r->b));
        return true;
    }
    double change = INFINITY, last = INFINITY;
    for (int k = 0; k < CD_NEWTON_STEPS; ++k) {
        last = change;
        if (!step(&A, &B, length, &r->n, &change)) return false;
        if (change <= cd_newton_accuracy || (change >= last && change < cd_newton_stall)) break;
    }
    if (!(change < cd_newton_stall)) return false;
    double   H[2][2];
    const d3 t[2] = {d3_zero(), d3_zero()};
    r->a          = d3_add_scaled(evaluate(&A, d3_neg(r->n), t, H), -A.f.offset, r->n);
    r->b          = d3_add_scaled(evaluate(&B, r->n, t, H), B.f.offset, r->n);
    r->d          = d3_dot(r->n, d3_sub(r->a, r->b));
    return true;
}
