// SPDX-License-Identifier: BSD-3-Clause
// Joints given by any sequence of steps, as constraints. Coordinates q are found so that the steps lead where the
// second marker is; what is left of the pose is held.
//
//   e(T, q) = (2 (e1 e2 e3), p - p(q))         (e0, ..): quaternion of R R(q)', T = (R, p) the second marker in the first
//   edot    = De V + E v                       De (w, u) = (e0 w - e x w, u)        E = -De' of the columns of the steps
//   E = A1 U,  A = (A1 A2) orthonormal         Householder
//   A1'e = 0 gives q, c = A2'e = 0 are the equations; with A held constant for the moment both have exact derivatives:
//   v  = -(A1'E)^-1 A1'De V                    cdot = (A2' - A2'E (A1'E)^-1 A1') De V, and the same rows on edotdot
//
// Rows of the coordinates (motors, drivers, couplings) and of the equations are thus both rows y on De V. The steps are
// singular where E loses rank, as in gimbal lock: then a motion of the pose belongs to no coordinates, and neither rows
// nor forces are right.
#include "constraint/steps.h"

#include "math/rotation.h"

#include <string.h>

enum { N = CARDAN_JOINT_MAX };

static const double dependent   = 1e-8; // of the length of a column
static const double turned_over = -0.7; // of its length: where a reflection changes its side. Not at 0, where entries
                                        // stand exactly and rounding would choose
static const double full_turn = 6.28318530717958647692;
static const double far_away = 0.1, closed = 1e-9, exact = 4e-16;
static const int    most_rounds = 60, most_trials = 8;

static double size(real a) { return fabs(r_value(a)); }

static real dot6(const real* a, const real* b)
{
    real sum = r_mul(a[0], b[0]);
    for (int i = 1; i < 6; ++i) sum = r_add(sum, r_mul(a[i], b[i]));
    return sum;
}

static void put6(vec3 a, vec3 l, real* x)
{
    const real all[6] = {a.x, a.y, a.z, l.x, l.y, l.z};
    memcpy(x, all, sizeof all);
}

static double square_left(const cd_sequence* s) { return r_value(dot6(s->e, s->e)); }

// e, E and what De needs at q. Returns the squared length of e.
static double compare(const cd_joint_info* joint, const cd_seen* seen, const real* q, cd_walk* walk, mat3* turn,
                      cd_sequence* s)
{
    real e[4];
    *walk = cd_walk_steps(joint, q, NULL);
    *turn = m3_mul_m3(seen->R, m3_transpose(walk->R));
    quaternion_of(*turn, e);
    s->e0     = e[0];
    s->turned = v3(e[1], e[2], e[3]);
    put6(v3_scale(r_lift(2), s->turned), v3_sub(seen->p, walk->p), s->e);
    return square_left(s);
}

static vec3 turning(const cd_sequence* s, vec3 w) { return v3_sub(v3_scale(s->e0, w), v3_cross(s->turned, w)); }

static void derive(const cd_joint_info* joint, const cd_walk* walk, mat3 turn, cd_sequence* s)
{
    const cd_joint_columns c = cd_walk_columns(joint, walk);
    for (int i = 0; i < c.n; ++i) put6(v3_neg(turning(s, m3_mul(turn, c.S[i].a))), v3_neg(c.S[i].l), s->E + 6 * i);
}

// E = A1 U by Householder: reflections h(k) with h'h = 2, or no reflection, and U (n x n, row major). A column that
// depends on the earlier ones leaves a zero in U.
typedef struct triangle {
    real h[N][6], U[N * N];
} triangle;

static void reflect(const real* h, int from, real* x)
{
    real f = r_mul(h[from], x[from]);
    for (int i = from + 1; i < 6; ++i) f = r_add(f, r_mul(h[i], x[i]));
    for (int i = from; i < 6; ++i) x[i] = r_sub(x[i], r_mul(f, h[i]));
}

static void reduce(cd_sequence* s, triangle* t)
{
    const int n = s->n;
    real      A[36];
    memcpy(A, s->E, (size_t)(6 * n) * sizeof *A);
    for (int i = 0; i < n * 6; ++i) t->h[i / 6][i % 6] = r_lift(0);
    for (int i = 0; i < n * n; ++i) t->U[i] = r_lift(0);
    s->singular = false;
    for (int k = 0; k < n; ++k) {
        real *x = A + 6 * k, *h = t->h[k], rest = r_lift(0);
        for (int i = k + 1; i < 6; ++i) rest = r_add(rest, r_mul(x[i], x[i]));
        const real   square = r_add(r_mul(x[k], x[k]), rest);
        const double whole  = r_value(dot6(s->E + 6 * k, s->E + 6 * k));
        if (!(r_value(square) > dependent * dependent * whole)) {
            s->singular = true;
            continue;
        }
        const real length = r_sqrt(square),
                   first  = r_value(x[k]) < turned_over * r_value(length) ? r_sub(x[k], length) : r_add(x[k], length);
        const real scale  = r_sqrt(r_div(r_lift(2), r_add(rest, r_mul(first, first))));
        for (int i = k; i < 6; ++i) h[i] = r_mul(scale, i == k ? first : x[i]);
        for (int j = k; j < n; ++j) {
            reflect(h, k, A + 6 * j);
            t->U[k * n + j] = A[6 * j + k];
        }
    }
}

static void form_basis(const triangle* t, cd_sequence* s)
{
    for (int j = 0; j < 6; ++j) {
        real* b = s->basis + 6 * j;
        for (int i = 0; i < 6; ++i) b[i] = r_lift(i == j);
        for (int k = s->n - 1; k >= 0; --k) reflect(t->h[k], k, b);
    }
}

// x <- U^-1 x; where U has no pivot there is no motion.
static void back_solve(int n, const real* U, real* x)
{
    for (int i = n - 1; i >= 0; --i) {
        for (int j = i + 1; j < n; ++j) x[i] = r_sub(x[i], r_mul(U[i * n + j], x[j]));
        x[i] = r_value(U[i * n + i]) != 0 ? r_div(x[i], U[i * n + i]) : r_lift(0);
    }
}

static void swap_rows(int n, int i, int j, real* A)
{
    for (int k = 0; k < n; ++k) {
        const real kept = A[i * n + k];
        A[i * n + k]    = A[j * n + k];
        A[j * n + k]    = kept;
    }
}

// row i of A <- row i - f row k
static void clear_row(int n, int i, real f, int k, real* A)
{
    for (int j = 0; j < n; ++j) A[i * n + j] = r_sub(A[i * n + j], r_mul(f, A[k * n + j]));
}

// inverse (n x n) of P by elimination with pivots; what has no pivot stays without motion.
static void invert(int n, const real* P, real* inverse)
{
    real A[N * N];
    memcpy(A, P, (size_t)(n * n) * sizeof *A);
    for (int i = 0; i < n * n; ++i) inverse[i] = r_lift(i % (n + 1) == 0);
    for (int k = 0; k < n; ++k) {
        int best = k;
        for (int i = k + 1; i < n; ++i)
            if (size(A[i * n + k]) > size(A[best * n + k])) best = i;
        swap_rows(n, k, best, A);
        swap_rows(n, k, best, inverse);
        const real pivot = size(A[k * n + k]) != 0 ? r_div(r_lift(1), A[k * n + k]) : r_lift(0);
        for (int j = 0; j < n; ++j) {
            A[k * n + j]       = r_mul(A[k * n + j], pivot);
            inverse[k * n + j] = r_mul(inverse[k * n + j], pivot);
        }
        for (int i = 0; i < n; ++i) {
            const real f = A[i * n + k];
            if (i == k || size(f) == 0) continue;
            clear_row(n, i, f, k, A);
            clear_row(n, i, f, k, inverse);
        }
    }
}

// The step towards A1'e = 0: dq = -(A1'E)^-1 A1'e.
static double newton_step(const cd_sequence* s, const triangle* t, real* dq)
{
    double most = 0;
    real   e[6];
    memcpy(e, s->e, sizeof e);
    for (int k = 0; k < s->n; ++k) reflect(t->h[k], k, e);
    for (int i = 0; i < s->n; ++i) dq[i] = r_neg(e[i]);
    back_solve(s->n, t->U, dq);
    for (int i = 0; i < s->n; ++i) most = fmax(most, size(dq[i]));
    return most;
}

// Gauss-Newton from s->q, halving steps that lead away; a step turns by less than half a turn.
static void search(const cd_joint_info* joint, const cd_seen* seen, cd_walk* walk, mat3* turn, cd_sequence* s)
{
    triangle t;
    real     dq[N], q[N];
    double   square = compare(joint, seen, s->q, walk, turn, s);
    for (int round = 0; round < most_rounds && square > exact * exact && isfinite(square); ++round) {
        derive(joint, walk, *turn, s);
        reduce(s, &t);
        const double most = newton_step(s, &t, dq);
        double       part = most > 3 ? 3 / most : 1, next = INFINITY;
        for (int half = 0; half < 12; ++half, part /= 2) {
            for (int i = 0; i < s->n; ++i) q[i] = r_add(s->q[i], r_times(part, dq[i]));
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

// From s->q; where that leads to no closed pose, from other turns of the angles, as there is more than one way to most
// poses and none leads through half a turn of what is left. What closes is taken; else the first find stays.
static void search_all(const cd_joint_info* joint, const cd_seen* seen, cd_walk* walk, mat3* turn, cd_sequence* s)
{
    real start[N], found[N];
    memcpy(start, s->q, sizeof start);
    search(joint, seen, walk, turn, s);
    if (!(square_left(s) > far_away * far_away)) return;
    memcpy(found, s->q, sizeof found);
    for (int trial = 1; trial <= most_trials; ++trial) {
        for (int i = 0; i < s->n; ++i) {
            const double away = joint->step[i].motion == CD_SLIDE ? 0 : 2.5 * sin(1.7 * trial + 2.9 * i * trial);
            s->q[i]           = r_add(start[i], r_lift(away));
        }
        search(joint, seen, walk, turn, s);
        if (!(square_left(s) < closed * closed)) continue;
        for (int i = 0; i < s->n; ++i) {
            const double turns = round((r_value(s->q[i]) - r_value(start[i])) / full_turn);
            if (joint->step[i].motion != CD_SLIDE) s->q[i] = r_sub(s->q[i], r_lift(full_turn * turns));
        }
        return;
    }
    memcpy(s->q, found, sizeof found);
    compare(joint, seen, s->q, walk, turn, s);
}

// A1'E and its inverse.
static void invert_along(const cd_sequence* s, real* inverse)
{
    real P[N * N];
    for (int i = 0; i < s->n; ++i)
        for (int j = 0; j < s->n; ++j) P[i * s->n + j] = dot6(s->basis + 6 * i, s->E + 6 * j);
    invert(s->n, P, inverse);
}

// The same with the basis given: A1'e = 0.
static void search_held(const cd_joint_info* joint, const cd_seen* seen, int rounds, cd_walk* walk, mat3* turn,
                        cd_sequence* s)
{
    for (int round = 0; round < rounds; ++round) {
        real   inverse[N * N];
        double most = 0;
        compare(joint, seen, s->q, walk, turn, s);
        derive(joint, walk, *turn, s);
        invert_along(s, inverse);
        for (int i = 0; i < s->n; ++i) {
            real step = r_lift(0);
            for (int j = 0; j < s->n; ++j)
                step = r_sub(step, r_mul(inverse[i * s->n + j], dot6(s->basis + 6 * j, s->e)));
            s->q[i] = r_add(s->q[i], step);
            most    = fmax(most, size(step));
        }
        if (most < 1e-15) break;
    }
    compare(joint, seen, s->q, walk, turn, s);
}

// One step that gives the coordinates what numbers carry beyond their values. The basis is constant for the moment
// where numbers know one.
static void hold_basis(const cd_joint_info* joint, const cd_seen* seen, cd_walk* walk, mat3* turn, cd_sequence* s)
{
    for (int i = 0; r_decides() && i < 36; ++i) s->basis[i] = r_lift(r_value(s->basis[i]));
    search_held(joint, seen, 1, walk, turn, s);
    derive(joint, walk, *turn, s);
}

// Rows on De V: of the coordinates and of the equations.
static void make_rows(cd_sequence* s)
{
    const int n = s->n;
    real      inverse[N * N];
    invert_along(s, inverse);
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < 6; ++k) {
            s->along[i][k] = r_lift(0);
            for (int j = 0; j < n; ++j)
                s->along[i][k] = r_sub(s->along[i][k], r_mul(inverse[i * n + j], s->basis[6 * j + k]));
        }
    for (int i = n; i < 6; ++i) {
        memcpy(s->across[i - n], s->basis + 6 * i, 6 * sizeof(real));
        for (int j = 0; j < n; ++j) {
            const real f = dot6(s->basis + 6 * i, s->E + 6 * j);
            for (int k = 0; k < 6; ++k) s->across[i - n][k] = r_add(s->across[i - n][k], r_mul(f, s->along[j][k]));
        }
    }
}

// Second derivative of e where no body and no coordinate accelerates.
static void make_bias(const cd_joint_info* joint, const cd_end end[2], const cd_seen* seen, mat3 turn, cd_sequence* s)
{
    const real    half = r_lift(0.5);
    const cd_walk t    = cd_walk_steps(joint, s->q, s->v);
    const vec3    d = v3_sub(end[1].T.p, end[0].T.p), w0 = end[0].w;
    const vec3    u  = v3_sub(v3_sub(end[1].v, end[0].v), v3_cross(w0, d));
    const vec3    al = m3_tmul(s->B, v3_neg(v3_cross(w0, end[1].w)));
    const vec3    li = m3_tmul(s->B, v3_sub(v3_sub(end[1].bias, end[0].bias),
                                            v3_add(v3_cross(w0, v3_cross(w0, d)), v3_scale(r_lift(2), v3_cross(w0, u)))));
    const vec3    by = m3_mul(turn, t.w), w = v3_sub(seen->V.a, by); // of what is left
    const vec3    wdot    = v3_sub(v3_sub(al, m3_mul(turn, t.alpha)), v3_cross(w, by));
    const real    e0_rate = r_neg(r_mul(half, v3_dot(s->turned, w)));
    const vec3    more    = v3_add(v3_scale(e0_rate, w), v3_scale(half, v3_cross(w, v3_cross(w, s->turned))));
    put6(v3_add(turning(s, wdot), more), v3_sub(li, t.a), s->bias);
}

void cd_sequence_look(const cd_joint_info* joint, const cd_end end[2], const real* q, const real* basis, cd_sequence* s)
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
        search_held(joint, &seen, most_rounds, &walk, &turn, s);
        derive(joint, &walk, turn, s);
    } else {
        search_all(joint, &seen, &walk, &turn, s);
        derive(joint, &walk, turn, s);
        reduce(s, &t);
        form_basis(&t, s);
        if (r_derives()) hold_basis(joint, &seen, &walk, &turn, s);
    }
    make_rows(s);
    put6(turning(s, seen.V.a), seen.V.l, s->rate);
    for (int i = 0; i < s->n; ++i) s->v[i] = dot6(s->along[i], s->rate);
    make_bias(joint, end, &seen, turn, s);
}

// y'De V = a.(w1 - w0) + l.(v1 - v0 - w0 x d) in world axes.
cd_scalar_row cd_sequence_row(const cd_sequence* s, const cd_end end[2], const real y[6], real value)
{
    const vec3 turn = v3(y[0], y[1], y[2]), l = m3_mul(s->B, v3(y[3], y[4], y[5]));
    const vec3 a   = m3_mul(s->B, v3_add(v3_scale(s->e0, turn), v3_cross(s->turned, turn)));
    const vec3 arm = v3_add(end[0].r, v3_sub(end[1].T.p, end[0].T.p));
    return (cd_scalar_row){
        .value = value,
        .rate  = dot6(y, s->rate),
        .h     = dot6(y, s->bias),
        .G     = {{v3_neg(v3_add(a, v3_cross(arm, l))), v3_neg(l)}, {v3_add(a, v3_cross(end[1].r, l)), l}}};
}

static void evaluate(const cd_constraint* c, const cd_end* end, const cd_moment* now, cd_equations* e)
{
    cd_sequence s;
    real*       q = now->q + c->measured;
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
