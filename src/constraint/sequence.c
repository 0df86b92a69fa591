// SPDX-License-Identifier: BSD-3-Clause
// Joints given by any sequence of steps, as constraints. Coordinates q are found so that the steps lead where the second marker is;
// what is left of the pose is held.
//
//   e(T, q) = (2 (e1 e2 e3), p - p(q))         (e0, ..): quaternion of R R(q)', T = (R, p) the second marker in the first
//   edot    = De V + E v                       De (w, u) = (e0 w - e x w, u)        E = -De' of the columns of the steps
//   E = A1 U,  A = (A1 A2) orthonormal         Householder
//   A1'e = 0 gives q, c = A2'e = 0 are the equations; with A held constant for the moment both have exact derivatives:
//   v  = -(A1'E)^-1 A1'De V                    cdot = (A2' - A2'E (A1'E)^-1 A1') De V, and the same rows on edotdot
//
// Rows of the coordinates (motors, drivers, couplings) and of the equations are thus both rows y on De V. The steps are singular where
// E loses rank, as in gimbal lock: then a motion of the pose belongs to no coordinates, and neither rows nor forces are right.
#include "constraint/steps.h"

#include "math/quaternion.h"

#include <string.h>

enum { N = CARDAN_JOINT_MAX };

static const double dependent   = 1e-8; // of the length of a column
static const double full_turn = 6.28318530717958647692;
static const double far_away = 0.1, closed = 1e-9, exact = 4e-16;
static const int    most_rounds = 60, most_trials = 8;

static double dot6(const double* a, const double* b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

static void put6(vec3 a, vec3 l, double* x)
{
    const double all[6] = {a.x, a.y, a.z, l.x, l.y, l.z};
    memcpy(x, all, sizeof all);
}

// e, E and what De needs at q. Returns the squared length of e.
static double compare(const cd_joint_info* joint, const cd_seen* seen, const double* q, cd_walk* walk, mat3* turn, cd_sequence* s)
{
    double e[4];
    *walk        = cd_walk_steps(joint, q, NULL);
    const mat3 R = m3_mul_m3(seen->R, m3_transpose(walk->R));
    q4_of_matrix((const double[9]){R.xx, R.xy, R.xz, R.yx, R.yy, R.yz, R.zx, R.zy, R.zz}, e);
    const double sign = e[0] < 0 ? -1 : 1;
    *turn             = R;
    s->e0             = sign * e[0];
    s->turned         = v3(sign * e[1], sign * e[2], sign * e[3]);
    put6(v3_scale(2, s->turned), v3_sub(seen->p, walk->p), s->e);
    return dot6(s->e, s->e);
}

static vec3 turning(const cd_sequence* s, vec3 w) { return v3_sub(v3_scale(s->e0, w), v3_cross(s->turned, w)); }

static void derive(const cd_joint_info* joint, const cd_walk* walk, mat3 turn, cd_sequence* s)
{
    const cd_joint_columns c = cd_walk_columns(joint, walk);
    for (int i = 0; i < c.n; ++i) put6(v3_neg(turning(s, m3_mul(turn, c.S[i].a))), v3_neg(c.S[i].l), s->E + 6 * i);
}

// E = A1 U by Householder: reflections h(k) with h'h = 2, or no reflection, and U (n x n, row major). A column that depends on the
// earlier ones leaves a zero in U.
typedef struct triangle {
    double h[N][6], U[N * N];
} triangle;

static void reflect(const double* h, int from, double* x)
{
    double f = 0;
    for (int i = from; i < 6; ++i) f += h[i] * x[i];
    for (int i = from; i < 6; ++i) x[i] -= f * h[i];
}

static void reduce(cd_sequence* s, triangle* t)
{
    const int n = s->n;
    double    A[36];
    memcpy(A, s->E, (size_t)(6 * n) * sizeof *A);
    memset(t, 0, sizeof *t);
    s->singular = false;
    for (int k = 0; k < n; ++k) {
        double *x = A + 6 * k, *h = t->h[k], square = 0;
        for (int i = k; i < 6; ++i) square += x[i] * x[i];
        const double length = sqrt(square);
        if (!(square > dependent * dependent * dot6(s->E + 6 * k, s->E + 6 * k))) {
            s->singular = true;
            continue;
        }
        const double first = x[k] + (x[k] < 0 ? -length : length), scale = sqrt(2 / (square - x[k] * x[k] + first * first));
        for (int i = k; i < 6; ++i) h[i] = scale * (i == k ? first : x[i]);
        for (int j = k; j < n; ++j) {
            reflect(h, k, A + 6 * j);
            t->U[k * n + j] = A[6 * j + k];
        }
    }
}

static void form_basis(const triangle* t, cd_sequence* s)
{
    for (int j = 0; j < 6; ++j) {
        double* b = s->basis + 6 * j;
        for (int i = 0; i < 6; ++i) b[i] = i == j;
        for (int k = s->n - 1; k >= 0; --k) reflect(t->h[k], k, b);
    }
}

// x <- U^-1 x; where U has no pivot there is no motion.
static void back_solve(int n, const double* U, double* x)
{
    for (int i = n - 1; i >= 0; --i) {
        for (int j = i + 1; j < n; ++j) x[i] -= U[i * n + j] * x[j];
        x[i] = U[i * n + i] != 0 ? x[i] / U[i * n + i] : 0;
    }
}

// inverse (n x n) of P by elimination with pivots; what has no pivot stays without motion.
static void invert(int n, const double* P, double* inverse)
{
    double A[N * N];
    memcpy(A, P, (size_t)(n * n) * sizeof *A);
    for (int i = 0; i < n * n; ++i) inverse[i] = i % (n + 1) == 0;
    for (int k = 0; k < n; ++k) {
        int best = k;
        for (int i = k + 1; i < n; ++i)
            if (fabs(A[i * n + k]) > fabs(A[best * n + k])) best = i;
        for (int j = 0; j < n; ++j) {
            const double a = A[k * n + j], b = inverse[k * n + j];
            A[k * n + j] = A[best * n + j], A[best * n + j] = a;
            inverse[k * n + j] = inverse[best * n + j], inverse[best * n + j] = b;
        }
        const double pivot = A[k * n + k] != 0 ? 1 / A[k * n + k] : 0;
        for (int j = 0; j < n; ++j) A[k * n + j] *= pivot, inverse[k * n + j] *= pivot;
        for (int i = 0; i < n; ++i) {
            const double f = i == k ? 0 : A[i * n + k];
            for (int j = 0; f != 0 && j < n; ++j) A[i * n + j] -= f * A[k * n + j], inverse[i * n + j] -= f * inverse[k * n + j];
        }
    }
}

// The step towards A1'e = 0: dq = -(A1'E)^-1 A1'e.
static double newton_step(const cd_sequence* s, const triangle* t, double* dq)
{
    double most = 0, e[6];
    memcpy(e, s->e, sizeof e);
    for (int k = 0; k < s->n; ++k) reflect(t->h[k], k, e);
    for (int i = 0; i < s->n; ++i) dq[i] = -e[i];
    back_solve(s->n, t->U, dq);
    for (int i = 0; i < s->n; ++i) most = fmax(most, fabs(dq[i]));
    return most;
}

// Gauss-Newton from s->q, halving steps that lead away; a step turns by less than half a turn.
static void search(const cd_joint_info* joint, const cd_seen* seen, cd_walk* walk, mat3* turn, cd_sequence* s)
{
    triangle t;
    double   dq[N], q[N];
    double   square = compare(joint, seen, s->q, walk, turn, s);
    for (int round = 0; round < most_rounds && square > exact * exact && isfinite(square); ++round) {
        derive(joint, walk, *turn, s);
        reduce(s, &t);
        const double most = newton_step(s, &t, dq);
        double       part = most > 3 ? 3 / most : 1, next = INFINITY;
        for (int half = 0; half < 12; ++half, part /= 2) {
            for (int i = 0; i < s->n; ++i) q[i] = s->q[i] + part * dq[i];
            next = compare(joint, seen, q, walk, turn, s);
            if (next < square || most < 1e-7) break;
        }
        if (!(next < square) && !(most < 1e-7)) {
            compare(joint, seen, s->q, walk, turn, s);
            break;
        }
        memcpy(s->q, q, (size_t)s->n * sizeof *q);
        const double gap = sqrt(next);
        square           = next;
        if (most * (most + gap) < 1e-16) break;
    }
}

// From s->q; where that leads to no closed pose, from other turns of the angles, as there is more than one way to most poses and
// none leads through half a turn of what is left. What closes is taken; else the first find stays.
static void search_all(const cd_joint_info* joint, const cd_seen* seen, cd_walk* walk, mat3* turn, cd_sequence* s)
{
    double start[N], found[N];
    memcpy(start, s->q, sizeof start);
    search(joint, seen, walk, turn, s);
    if (!(dot6(s->e, s->e) > far_away * far_away)) return;
    memcpy(found, s->q, sizeof found);
    for (int trial = 1; trial <= most_trials; ++trial) {
        for (int i = 0; i < s->n; ++i) s->q[i] = start[i] + (joint->step[i].motion == CD_SLIDE ? 0 : 2.5 * sin(1.7 * trial + 2.9 * i * trial));
        search(joint, seen, walk, turn, s);
        if (!(dot6(s->e, s->e) < closed * closed)) continue;
        for (int i = 0; i < s->n; ++i)
            if (joint->step[i].motion != CD_SLIDE) s->q[i] -= full_turn * round((s->q[i] - start[i]) / full_turn);
        return;
    }
    memcpy(s->q, found, sizeof found);
    compare(joint, seen, s->q, walk, turn, s);
}

// The same with the basis given: A1'e = 0.
static void search_held(const cd_joint_info* joint, const cd_seen* seen, cd_walk* walk, mat3* turn, cd_sequence* s)
{
    for (int round = 0; round < most_rounds; ++round) {
        double P[N * N], inverse[N * N], most = 0;
        compare(joint, seen, s->q, walk, turn, s);
        derive(joint, walk, *turn, s);
        for (int i = 0; i < s->n; ++i)
            for (int j = 0; j < s->n; ++j) P[i * s->n + j] = dot6(s->basis + 6 * i, s->E + 6 * j);
        invert(s->n, P, inverse);
        for (int i = 0; i < s->n; ++i) {
            double step = 0;
            for (int j = 0; j < s->n; ++j) step -= inverse[i * s->n + j] * dot6(s->basis + 6 * j, s->e);
            s->q[i] += step;
            most = fmax(most, fabs(step));
        }
        if (most < 1e-15) break;
    }
    compare(joint, seen, s->q, walk, turn, s);
}

// Rows on De V: of the coordinates and of the equations.
static void make_rows(cd_sequence* s)
{
    const int n = s->n;
    double    P[N * N], inverse[N * N];
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) P[i * n + j] = dot6(s->basis + 6 * i, s->E + 6 * j);
    invert(n, P, inverse);
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < 6; ++k) {
            s->along[i][k] = 0;
            for (int j = 0; j < n; ++j) s->along[i][k] -= inverse[i * n + j] * s->basis[6 * j + k];
        }
    for (int i = n; i < 6; ++i) {
        memcpy(s->across[i - n], s->basis + 6 * i, 6 * sizeof(double));
        for (int j = 0; j < n; ++j) {
            const double f = dot6(s->basis + 6 * i, s->E + 6 * j);
            for (int k = 0; k < 6; ++k) s->across[i - n][k] += f * s->along[j][k];
        }
    }
}

// Second derivative of e where no body and no coordinate accelerates.
static void make_bias(const cd_joint_info* joint, const cd_end end[2], const cd_seen* seen, mat3 turn, cd_sequence* s)
{
    const cd_walk t  = cd_walk_steps(joint, s->q, s->v);
    const vec3    d  = v3_sub(end[1].T.p, end[0].T.p), w0 = end[0].w;
    const vec3    u  = v3_sub(v3_sub(end[1].v, end[0].v), v3_cross(w0, d));
    const vec3    al = m3_tmul(s->B, v3_neg(v3_cross(w0, end[1].w)));
    const vec3    li = m3_tmul(s->B, v3_sub(v3_sub(end[1].bias, end[0].bias),
                                            v3_add(v3_cross(w0, v3_cross(w0, d)), v3_scale(2, v3_cross(w0, u)))));
    const vec3    by = m3_mul(turn, t.w), w = v3_sub(seen->V.a, by); // of what is left
    const vec3    wdot    = v3_sub(v3_sub(al, m3_mul(turn, t.alpha)), v3_cross(w, by));
    const double  e0_rate = -v3_dot(s->turned, w) / 2;
    const vec3    more    = v3_add(v3_scale(e0_rate, w), v3_scale(0.5, v3_cross(w, v3_cross(w, s->turned))));
    put6(v3_add(turning(s, wdot), more), v3_sub(li, t.a), s->bias);
}

void cd_sequence_look(const cd_joint_info* joint, const cd_end end[2], const double* q, const double* basis, cd_sequence* s)
{
    const cd_seen seen = cd_see(end);
    cd_walk       walk;
    mat3          turn;
    triangle      t;
    s->n        = joint->nstep;
    s->B        = end[0].T.R;
    s->singular = false;
    memcpy(s->q, q, (size_t)s->n * sizeof *q);
    if (basis) {
        memcpy(s->basis, basis, sizeof s->basis);
        search_held(joint, &seen, &walk, &turn, s);
        derive(joint, &walk, turn, s);
    } else {
        search_all(joint, &seen, &walk, &turn, s);
        derive(joint, &walk, turn, s);
        reduce(s, &t);
        form_basis(&t, s);
    }
    make_rows(s);
    put6(turning(s, seen.V.a), seen.V.l, s->rate);
    for (int i = 0; i < s->n; ++i) s->v[i] = dot6(s->along[i], s->rate);
    make_bias(joint, end, &seen, turn, s);
}

// y'De V = a.(w1 - w0) + l.(v1 - v0 - w0 x d) in world axes.
cd_scalar_row cd_sequence_row(const cd_sequence* s, const cd_end end[2], const double y[6], double value)
{
    const vec3 turn = v3(y[0], y[1], y[2]), l = m3_mul(s->B, v3(y[3], y[4], y[5]));
    const vec3 a    = m3_mul(s->B, v3_add(v3_scale(s->e0, turn), v3_cross(s->turned, turn)));
    const vec3 arm  = v3_add(end[0].r, v3_sub(end[1].T.p, end[0].T.p));
    return (cd_scalar_row){.value = value,
                           .rate  = dot6(y, s->rate),
                           .h     = dot6(y, s->bias),
                           .G     = {{v3_neg(v3_add(a, v3_cross(arm, l))), v3_neg(l)}, {v3_add(a, v3_cross(end[1].r, l)), l}}};
}

static void evaluate(const cd_constraint* c, const cd_end* end, const cd_moment* now, cd_equations* e)
{
    cd_sequence s;
    double*     q = now->q + c->measured;
    cd_sequence_look(c->steps, end, q, NULL, &s);
    memcpy(q, s.q, (size_t)s.n * sizeof *q);
    *now->singular |= s.singular;
    for (int i = 0; i < c->nrow; ++i) {
        const cd_scalar_row row = cd_sequence_row(&s, end, s.across[i], dot6(s.basis + 6 * (s.n + i), s.e));
        cd_row_put(&row, i, e);
    }
}

const cd_constraint_type cd_constraint_sequence = {
    .name     = "sequence",
    .summary  = "a general joint: any sequence of turns and slides",
    .fields   = "joint",
    .evaluate = evaluate,
};
