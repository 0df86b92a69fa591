// SPDX-License-Identifier: BSD-3-Clause
// General joints (any sequence of elementary joints) as constraints. The coordinates q are those for which the
// elementary joints lead to the pose of the second marker; the remaining pose error is the constraint.
//
//   e(T, q) = (2 (e1 e2 e3), p - p(q))         (e0, ..): quaternion of R R(q)', T = (R, p): marker 2 in marker 1
//   edot    = De V + E v                       De (w, u) = (e0 w - e x w, u)        E = -De' of the motion columns
//   E = A1 U,  A = (A1 A2) orthonormal         Householder QR
//   A1'e = 0 gives q, c = A2'e = 0 are the equations; with A constant at the state both have exact derivatives:
//   v  = -(A1'E)^-1 A1'De V                    cdot = (A2' - A2'E (A1'E)^-1 A1') De V, and the same rows on edotdot
//
// Rows of the coordinates (motors, drivers, couplings) and of the equations are thus both rows y on De V. The joint is
// singular where E loses rank, as in gimbal lock: then some motion of the pose has no coordinates, and neither rows nor
// forces are valid.
#include "constraint/joint_chain.h"

#include "math/rotation.h"

#include <string.h>

enum { N = CARDAN_JOINT_VELOCITIES_MAX };

static const double dependence_tolerance = 1e-8; // relative to the norm of a column
static const double reflection_threshold =
    -0.7; // relative to the norm: threshold of the sign of a reflection; not 0, an exact value of many entries, where
          // round-off would decide
static const double restart_residual = 0.1, closed_residual = 1e-9, converged_residual = 4e-16;
static const int    max_iterations = 60, max_restarts = 8;

static double magnitude(real a) { return fabs(r_value(a)); }

static real dot6(const real* a, const real* b)
{
    real sum = r_mul(a[0], b[0]);
    for (int i = 1; i < 6; ++i) sum = r_add(sum, r_mul(a[i], b[i]));
    return sum;
}

static void store6(vec3 a, vec3 l, real* x)
{
    const real all[6] = {a.x, a.y, a.z, l.x, l.y, l.z};
    memcpy(x, all, sizeof all);
}

static double residual_norm_sq(const cd_general_joint_state* s) { return r_value(dot6(s->e, s->e)); }

// Compute e, E and the terms of De at q. Returns |e|^2.
static double evaluate_residual(const cd_compiled_joint* joint, const cd_relative_state* relative, const real* q,
                                cd_joint_chain* chain, mat3* R_residual, cd_general_joint_state* s)
{
    real e[4];
    *chain      = cd_joint_chain_evaluate(joint, q, NULL);
    *R_residual = m3_mul_m3(relative->R, m3_transpose(chain->R));
    quaternion_of_matrix(*R_residual, e);
    s->e0       = e[0];
    s->e_vector = v3(e[1], e[2], e[3]);
    store6(v3_scale(r_const(2), s->e_vector), v3_sub(relative->p, chain->p), s->e);
    return residual_norm_sq(s);
}

static vec3 apply_De(const cd_general_joint_state* s, vec3 w)
{
    return v3_sub(v3_scale(s->e0, w), v3_cross(s->e_vector, w));
}

static void residual_jacobian(const cd_compiled_joint* joint, const cd_joint_chain* chain, mat3 R_residual,
                              cd_general_joint_state* s)
{
    const cd_joint_columns c = cd_joint_chain_columns(joint, chain);
    for (int i = 0; i < c.n; ++i)
        store6(v3_neg(apply_De(s, m3_mul(R_residual, c.S[i].a))), v3_neg(c.S[i].l), s->E + 6 * i);
}

// E = A1 U by Householder QR: reflections h(k) with h'h = 2, or no reflection, and U (n x n, row major). A column that
// depends on the earlier ones gives a zero in U.
typedef struct householder_qr {
    real h[N][6], U[N * N];
} householder_qr;

static void reflect(const real* h, int from, real* x)
{
    real f = r_mul(h[from], x[from]);
    for (int i = from + 1; i < 6; ++i) f = r_add(f, r_mul(h[i], x[i]));
    for (int i = from; i < 6; ++i) x[i] = r_sub(x[i], r_mul(f, h[i]));
}

static void factor_qr(cd_general_joint_state* s, householder_qr* t)
{
    const int n = s->n;
    real      A[36];
    memcpy(A, s->E, (size_t)(6 * n) * sizeof *A);
    for (int i = 0; i < n * 6; ++i) t->h[i / 6][i % 6] = r_const(0);
    for (int i = 0; i < n * n; ++i) t->U[i] = r_const(0);
    s->is_singular = false;
    for (int k = 0; k < n; ++k) {
        real *x = A + 6 * k, *h = t->h[k], tail_sq = r_const(0);
        for (int i = k + 1; i < 6; ++i) tail_sq = r_add(tail_sq, r_mul(x[i], x[i]));
        const real   square         = r_add(r_mul(x[k], x[k]), tail_sq);
        const double column_norm_sq = r_value(dot6(s->E + 6 * k, s->E + 6 * k));
        if (!(r_value(square) > dependence_tolerance * dependence_tolerance * column_norm_sq)) {
            s->is_singular = true;
            continue;
        }
        const real length = r_sqrt(square), first = r_value(x[k]) < reflection_threshold * r_value(length)
                                                        ? r_sub(x[k], length)
                                                        : r_add(x[k], length);
        const real scale = r_sqrt(r_div(r_const(2), r_add(tail_sq, r_mul(first, first))));
        for (int i = k; i < 6; ++i) h[i] = r_mul(scale, i == k ? first : x[i]);
        for (int j = k; j < n; ++j) {
            reflect(h, k, A + 6 * j);
            t->U[k * n + j] = A[6 * j + k];
        }
    }
}

static void form_basis(const householder_qr* t, cd_general_joint_state* s)
{
    for (int j = 0; j < 6; ++j) {
        real* b = s->basis + 6 * j;
        for (int i = 0; i < 6; ++i) b[i] = r_const(i == j);
        for (int k = s->n - 1; k >= 0; --k) reflect(t->h[k], k, b);
    }
}

// x <- U^-1 x; zero where U has no pivot.
static void back_solve(int n, const real* U, real* x)
{
    for (int i = n - 1; i >= 0; --i) {
        for (int j = i + 1; j < n; ++j) x[i] = r_sub(x[i], r_mul(U[i * n + j], x[j]));
        x[i] = r_value(U[i * n + i]) != 0 ? r_div(x[i], U[i * n + i]) : r_const(0);
    }
}

static void swap_rows(int n, int i, int j, real* A)
{
    for (int k = 0; k < n; ++k) {
        const real swapped = A[i * n + k];
        A[i * n + k]       = A[j * n + k];
        A[j * n + k]       = swapped;
    }
}

// row i of A <- row i - f row k
static void subtract_row(int n, int i, real f, int k, real* A)
{
    for (int j = 0; j < n; ++j) A[i * n + j] = r_sub(A[i * n + j], r_mul(f, A[k * n + j]));
}

// Inverse (n x n) of P by elimination with pivoting; zero where there is no pivot.
static void invert(int n, const real* P, real* inverse)
{
    real A[N * N];
    memcpy(A, P, (size_t)(n * n) * sizeof *A);
    for (int i = 0; i < n * n; ++i) inverse[i] = r_const(i % (n + 1) == 0);
    for (int k = 0; k < n; ++k) {
        int best = k;
        for (int i = k + 1; i < n; ++i)
            if (magnitude(A[i * n + k]) > magnitude(A[best * n + k])) best = i;
        swap_rows(n, k, best, A);
        swap_rows(n, k, best, inverse);
        const real pivot = magnitude(A[k * n + k]) != 0 ? r_div(r_const(1), A[k * n + k]) : r_const(0);
        for (int j = 0; j < n; ++j) {
            A[k * n + j]       = r_mul(A[k * n + j], pivot);
            inverse[k * n + j] = r_mul(inverse[k * n + j], pivot);
        }
        for (int i = 0; i < n; ++i) {
            const real f = A[i * n + k];
            if (i == k || magnitude(f) == 0) continue;
            subtract_row(n, i, f, k, A);
            subtract_row(n, i, f, k, inverse);
        }
    }
}

// Newton step for A1'e = 0: dq = -(A1'E)^-1 A1'e.
static double newton_step(const cd_general_joint_state* s, const householder_qr* t, real* dq)
{
    double most = 0;
    real   e[6];
    memcpy(e, s->e, sizeof e);
    for (int k = 0; k < s->n; ++k) reflect(t->h[k], k, e);
    for (int i = 0; i < s->n; ++i) dq[i] = r_neg(e[i]);
    back_solve(s->n, t->U, dq);
    for (int i = 0; i < s->n; ++i) most = fmax(most, magnitude(dq[i]));
    return most;
}

// Gauss-Newton from s->q, with steps halved if |e| grows; a step rotates by less than pi.
static void gauss_newton(const cd_compiled_joint* joint, const cd_relative_state* relative, cd_joint_chain* chain,
                         mat3* R_residual, cd_general_joint_state* s)
{
    householder_qr t;
    real           dq[N], q[N];
    double         square = evaluate_residual(joint, relative, s->q, chain, R_residual, s);
    for (int iteration = 0;
         iteration < max_iterations && square > converged_residual * converged_residual && isfinite(square);
         ++iteration) {
        residual_jacobian(joint, chain, *R_residual, s);
        factor_qr(s, &t);
        const double max_change = newton_step(s, &t, dq);
        double       damping = max_change > 3 ? 3 / max_change : 1, next = INFINITY;
        for (int half = 0; half < 12; ++half, damping /= 2) {
            for (int i = 0; i < s->n; ++i) q[i] = r_add(s->q[i], r_scale(damping, dq[i]));
            next = evaluate_residual(joint, relative, q, chain, R_residual, s);
            if (next < square || max_change < 1e-7) break;
        }
        if (!(next < square) && !(max_change < 1e-7)) {
            evaluate_residual(joint, relative, s->q, chain, R_residual, s);
            break;
        }
        memcpy(s->q, q, (size_t)s->n * sizeof *q);
        const double residual = sqrt(next);
        square                = next;
        if (max_change * (max_change + residual) < 1e-16) break;
    }
}

// Gauss-Newton from s->q; if it does not converge to e = 0, from other angles, since most poses have several solutions
// and no iteration passes an error rotation of pi. The first solution with e = 0 is taken; else the first result stays.
static void gauss_newton_with_restarts(const cd_compiled_joint* joint, const cd_relative_state* relative,
                                       cd_joint_chain* chain, mat3* R_residual, cd_general_joint_state* s)
{
    real start[N], found[N];
    memcpy(start, s->q, sizeof start);
    gauss_newton(joint, relative, chain, R_residual, s);
    if (!(residual_norm_sq(s) > restart_residual * restart_residual)) return;
    memcpy(found, s->q, sizeof found);
    for (int trial = 1; trial <= max_restarts; ++trial) {
        for (int i = 0; i < s->n; ++i) {
            const double offset =
                joint->elementary[i].motion == CD_PRISMATIC ? 0 : 2.5 * sin(1.7 * trial + 2.9 * i * trial);
            s->q[i] = r_add(start[i], r_const(offset));
        }
        gauss_newton(joint, relative, chain, R_residual, s);
        if (!(residual_norm_sq(s) < closed_residual * closed_residual)) continue;
        for (int i = 0; i < s->n; ++i) {
            const double periods = round((r_value(s->q[i]) - r_value(start[i])) / (2 * CD_PI));
            if (joint->elementary[i].motion != CD_PRISMATIC) s->q[i] = r_sub(s->q[i], r_const(2 * CD_PI * periods));
        }
        return;
    }
    memcpy(s->q, found, sizeof found);
    evaluate_residual(joint, relative, s->q, chain, R_residual, s);
}

// (A1'E)^-1.
static void invert_projected_jacobian(const cd_general_joint_state* s, real* inverse)
{
    real P[N * N];
    for (int i = 0; i < s->n; ++i)
        for (int j = 0; j < s->n; ++j) P[i * s->n + j] = dot6(s->basis + 6 * i, s->E + 6 * j);
    invert(s->n, P, inverse);
}

// The same with the given basis: A1'e = 0.
static void newton_in_basis(const cd_compiled_joint* joint, const cd_relative_state* relative, int iterations,
                            cd_joint_chain* chain, mat3* R_residual, cd_general_joint_state* s)
{
    for (int round = 0; round < iterations; ++round) {
        real   inverse[N * N];
        double max_change = 0;
        evaluate_residual(joint, relative, s->q, chain, R_residual, s);
        residual_jacobian(joint, chain, *R_residual, s);
        invert_projected_jacobian(s, inverse);
        for (int i = 0; i < s->n; ++i) {
            real change = r_const(0);
            for (int j = 0; j < s->n; ++j)
                change = r_sub(change, r_mul(inverse[i * s->n + j], dot6(s->basis + 6 * j, s->e)));
            s->q[i]    = r_add(s->q[i], change);
            max_change = fmax(max_change, magnitude(change));
        }
        if (max_change < 1e-15) break;
    }
    evaluate_residual(joint, relative, s->q, chain, R_residual, s);
}

// One step that gives the coordinates their derivatives (r_has_derivatives). The basis is constant for number types
// that can branch.
static void newton_in_fixed_basis(const cd_compiled_joint* joint, const cd_relative_state* relative,
                                  cd_joint_chain* chain, mat3* R_residual, cd_general_joint_state* s)
{
    for (int i = 0; r_can_branch() && i < 36; ++i) s->basis[i] = r_const(r_value(s->basis[i]));
    newton_in_basis(joint, relative, 1, chain, R_residual, s);
    residual_jacobian(joint, chain, *R_residual, s);
}

// Rows on De V of the coordinates and of the equations.
static void form_rows(cd_general_joint_state* s)
{
    const int n = s->n;
    real      inverse[N * N];
    invert_projected_jacobian(s, inverse);
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < 6; ++k) {
            s->coordinate_row[i][k] = r_const(0);
            for (int j = 0; j < n; ++j)
                s->coordinate_row[i][k] =
                    r_sub(s->coordinate_row[i][k], r_mul(inverse[i * n + j], s->basis[6 * j + k]));
        }
    for (int i = n; i < 6; ++i) {
        memcpy(s->equation_row[i - n], s->basis + 6 * i, 6 * sizeof(real));
        for (int j = 0; j < n; ++j) {
            const real f = dot6(s->basis + 6 * i, s->E + 6 * j);
            for (int k = 0; k < 6; ++k)
                s->equation_row[i - n][k] = r_add(s->equation_row[i - n][k], r_mul(f, s->coordinate_row[j][k]));
        }
    }
}

// Second derivative of e at zero accelerations of bodies and coordinates.
static void form_bias(const cd_compiled_joint* joint, const cd_end_state end[2], const cd_relative_state* relative,
                      mat3 R_residual, cd_general_joint_state* s)
{
    const real           half = r_const(0.5);
    const cd_joint_chain t    = cd_joint_chain_evaluate(joint, s->q, s->v);
    const vec3           d = v3_sub(end[1].T.p, end[0].T.p), w0 = end[0].w;
    const vec3           u  = v3_sub(v3_sub(end[1].v, end[0].v), v3_cross(w0, d));
    const vec3           al = m3_tmul(s->B, v3_neg(v3_cross(w0, end[1].w)));
    const vec3           li = m3_tmul(s->B, v3_sub(v3_sub(end[1].bias, end[0].bias),
                                                   v3_add(v3_cross(w0, v3_cross(w0, d)), v3_scale(r_const(2), v3_cross(w0, u)))));
    const vec3           by = m3_mul(R_residual, t.w), w = v3_sub(relative->V.a, by); // of the error rotation
    const vec3           wdot    = v3_sub(v3_sub(al, m3_mul(R_residual, t.alpha)), v3_cross(w, by));
    const real           e0_rate = r_neg(r_mul(half, v3_dot(s->e_vector, w)));
    const vec3 quadratic_terms   = v3_add(v3_scale(e0_rate, w), v3_scale(half, v3_cross(w, v3_cross(w, s->e_vector))));
    store6(v3_add(apply_De(s, wdot), quadratic_terms), v3_sub(li, t.a), s->bias);
}

void cd_general_joint_evaluate(const cd_compiled_joint* joint, const cd_end_state end[2], const real* q,
                               const real* basis, cd_general_joint_state* s)
{
    const cd_relative_state relative = cd_relative_state_of(end);
    cd_joint_chain          chain;
    mat3                    R_residual;
    householder_qr          t;
    s->n           = joint->nelementary;
    s->B           = end[0].T.R;
    s->is_singular = false;
    memcpy(s->q, q, (size_t)s->n * sizeof *q);
    if (basis) {
        memcpy(s->basis, basis, sizeof s->basis);
        newton_in_basis(joint, &relative, max_iterations, &chain, &R_residual, s);
        residual_jacobian(joint, &chain, R_residual, s);
    } else {
        gauss_newton_with_restarts(joint, &relative, &chain, &R_residual, s);
        residual_jacobian(joint, &chain, R_residual, s);
        factor_qr(s, &t);
        form_basis(&t, s);
        if (r_has_derivatives()) newton_in_fixed_basis(joint, &relative, &chain, &R_residual, s);
    }
    form_rows(s);
    store6(apply_De(s, relative.V.a), relative.V.l, s->rate);
    for (int i = 0; i < s->n; ++i) s->v[i] = dot6(s->coordinate_row[i], s->rate);
    form_bias(joint, end, &relative, R_residual, s);
}

// y'De V = a.(w1 - w0) + l.(v1 - v0 - w0 x d) in world axes.
cd_scalar_row cd_general_joint_row(const cd_general_joint_state* s, const cd_end_state end[2], const real y[6],
                                   real value)
{
    const vec3 angular = v3(y[0], y[1], y[2]), l = m3_mul(s->B, v3(y[3], y[4], y[5]));
    const vec3 a   = m3_mul(s->B, v3_add(v3_scale(s->e0, angular), v3_cross(s->e_vector, angular)));
    const vec3 arm = v3_add(end[0].r, v3_sub(end[1].T.p, end[0].T.p));
    return (cd_scalar_row){
        .value = value,
        .rate  = dot6(y, s->rate),
        .h     = dot6(y, s->bias),
        .G     = {{v3_neg(v3_add(a, v3_cross(arm, l))), v3_neg(l)}, {v3_add(a, v3_cross(end[1].r, l)), l}}};
}

static void evaluate(const cd_constraint* c, const cd_end_state* end, const cd_constraint_context* context,
                     cd_constraint_equations* e)
{
    cd_general_joint_state s;
    real*                  q = context->q + c->q_joint;
    cd_general_joint_evaluate(c->general_joint, end, q, NULL, &s);
    memcpy(q, s.q, (size_t)s.n * sizeof *q);
    *context->is_singular |= s.is_singular;
    for (int i = 0; i < c->nrow; ++i) {
        const cd_scalar_row row = cd_general_joint_row(&s, end, s.equation_row[i], dot6(s.basis + 6 * (s.n + i), s.e));
        cd_scalar_row_store(&row, i, e);
    }
}

const cd_constraint_type cd_constraint_general_joint = {
    .name     = "sequence",
    .summary  = "a general joint: any sequence of rotations and translations",
    .fields   = "joint",
    .evaluate = evaluate,
};
