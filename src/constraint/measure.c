// SPDX-License-Identifier: BSD-3-Clause
// Measuring joints. A joint is a sequence of steps; in the frame of its first marker
//
//   pose       T(q) = step_1 ... step_n          found from the last value, so that turns are counted (sequence.c)
//   velocity   V = sum of S_i v_i                least squares; exact where the joint is closed
//   acceleration  A - A(a = 0) = sum of S_i a_i
//
// Joints of one coordinate, ball and free joints are read off directly.
#include "constraint/steps.h"

#include "math/lapack.h"
#include "math/quaternion.h"

#include <math.h>
#include <string.h>

static const double turn  = 6.28318530717958647692;
static const double sound = 1e-6;  // part of the largest entry that a pivot has at least, where no rank needs to be told

enum { N = CARDAN_JOINT_MAX, WORK = 4 * N + (N + 1) * 32 + 64 };

// A x = b by elimination with pivots, b in x; A by columns, n small. False, and x as it was, where A is singular or nearly so.
static bool eliminate(int n, const double* A, double* x)
{
    double M[N * (N + 1)], largest = 0;
    for (int i = 0; i < n * n; ++i) largest = fmax(largest, fabs(A[i]));
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) M[i * (n + 1) + j] = A[j * n + i];
        M[i * (n + 1) + n] = x[i];
    }
    for (int k = 0; k < n; ++k) {
        int best = k;
        for (int i = k + 1; i < n; ++i)
            if (fabs(M[i * (n + 1) + k]) > fabs(M[best * (n + 1) + k])) best = i;
        if (!(fabs(M[best * (n + 1) + k]) > sound * largest)) return false;
        for (int j = k; j <= n && best != k; ++j) {
            const double kept     = M[k * (n + 1) + j];
            M[k * (n + 1) + j]    = M[best * (n + 1) + j];
            M[best * (n + 1) + j] = kept;
        }
        for (int i = k + 1; i < n; ++i) {
            const double f = M[i * (n + 1) + k] / M[k * (n + 1) + k];
            for (int j = k; j <= n; ++j) M[i * (n + 1) + j] -= f * M[k * (n + 1) + j];
        }
    }
    for (int i = n - 1; i >= 0; --i) {
        x[i] = M[i * (n + 1) + n];
        for (int j = i + 1; j < n; ++j) x[i] -= M[i * (n + 1) + j] * x[j];
        x[i] /= M[i * (n + 1) + i];
    }
    return true;
}

// Least-squares x with sum of columns x = b; length scale 1 m.
static void fit(const cd_joint_columns* c, spatial b, double* x)
{
    double A[N * N], work[WORK];
    int    pivot[N];
    for (int i = 0; i < c->n; ++i) {
        x[i] = sv_dot(c->S[i], b);
        for (int j = 0; j < c->n; ++j) A[i * c->n + j] = sv_dot(c->S[i], c->S[j]);
    }
    if (c->n > 0 && !eliminate(c->n, A, x) && cd_lapack_least_squares(c->n, A, x, 1e-12, work, pivot) < 0) memset(x, 0, (size_t)c->n * sizeof *x);
}

static void quaternion_of(mat3 R, double q[4])
{
    q4_of_matrix((const double[9]){R.xx, R.xy, R.xz, R.yx, R.yy, R.yz, R.zx, R.zy, R.zz}, q);
}

// Hinge, slide and helix at once; the turn nearest to the last value.
static void measure_single(const cd_step* step, const cd_seen* s, double* q, double* v)
{
    const vec3 axis = cd_step_axis(step);
    if (step->motion == CD_SLIDE) {
        *q = v3_dot(axis, s->p);
        *v = v3_dot(axis, s->V.l);
        return;
    }
    double e[4];
    quaternion_of(s->R, e);
    const double angle = 2 * atan2(v3_dot(axis, v3(e[1], e[2], e[3])), e[0]);
    *q                 = angle + turn * round((*q - angle) / turn);
    *v                 = v3_dot(axis, s->V.a);
}

static void measure_quaternion(const cd_joint_info* joint, const cd_seen* s, double* q, double* v)
{
    const bool floating = joint->step[0].motion == CD_FLOAT;
    double*    e        = q + (floating ? 3 : 0);
    double     now[4];
    const vec3 w = m3_tmul(s->R, s->V.a);  // axes of the second body
    quaternion_of(s->R, now);
    const double sign = now[0] * e[0] + now[1] * e[1] + now[2] * e[2] + now[3] * e[3] < 0 ? -1 : 1;
    for (int i = 0; i < 4; ++i) e[i] = sign * now[i];
    double* u = v + (floating ? 3 : 0);
    u[0] = w.x, u[1] = w.y, u[2] = w.z;
    if (!floating) return;
    q[0] = s->p.x, q[1] = s->p.y, q[2] = s->p.z;
    v[0] = s->V.l.x, v[1] = s->V.l.y, v[2] = s->V.l.z;
}

void cd_measure(const cd_joint_info* joint, const cd_end end[2], double* q, double* v)
{
    const cd_seen s = cd_see(end);
    if (!cd_is_sequence(joint)) {
        if (joint->nstep > 0) measure_quaternion(joint, &s, q, v);
        return;
    }
    if (joint->nstep == 1) {
        measure_single(&joint->step[0], &s, q, v);
        return;
    }
    cd_sequence sequence;
    cd_sequence_look(joint, end, q, NULL, &sequence);
    memcpy(q, sequence.q, (size_t)sequence.n * sizeof *q);
    memcpy(v, sequence.v, (size_t)sequence.n * sizeof *v);
}

// Columns about another point: `arm` leads there from where they are.
static void move_columns(cd_joint_columns* c, vec3 arm)
{
    for (int i = 0; i < c->n; ++i) c->S[i].l = v3_add(c->S[i].l, v3_cross(c->S[i].a, arm));
}

cd_joint_columns cd_joint_columns_at(const cd_joint_info* joint, const cd_end end[2], const double* q)
{
    cd_joint_columns c = {0};
    if (cd_is_sequence(joint)) {
        const cd_walk t = cd_walk_steps(joint, q, NULL);
        c               = cd_walk_columns(joint, &t);
        move_columns(&c, v3_neg(t.p));
        for (int i = 0; i < c.n; ++i) {
            c.S[i] = (spatial){m3_mul(end[0].T.R, c.S[i].a), m3_mul(end[0].T.R, c.S[i].l)};
            c.d[i] = (spatial){m3_mul(end[0].T.R, c.d[i].a), m3_mul(end[0].T.R, c.d[i].l)};
        }
        return c;
    }
    const mat3 second = end[1].T.R, first = end[0].T.R;
    const vec3 spin[3] = {m3_column_x(second), m3_column_y(second), m3_column_z(second)};
    const vec3 move[3] = {m3_column_x(first), m3_column_y(first), m3_column_z(first)};
    for (int i = 0; joint->nstep > 0 && joint->step[0].motion == CD_FLOAT && i < 3; ++i) c.S[c.n++].l = move[i];
    for (int i = 0; joint->nstep > 0 && i < 3; ++i) c.S[c.n++].a = spin[i];
    memcpy(c.d, c.S, sizeof c.d);
    move_columns(&c, v3_sub(end[0].T.p, end[1].T.p));
    return c;
}

void cd_measure_acceleration(const cd_joint_info* joint, const cd_end end[2], const spatial acceleration[2], const double* q, const double* v, double* a)
{
    // relative acceleration of the second marker in the frame of the first
    const mat3 B  = end[0].T.R;
    const vec3 d  = v3_sub(end[1].T.p, end[0].T.p), w = end[0].w;
    const vec3 s  = v3_sub(v3_sub(end[1].v, end[0].v), v3_cross(w, d));
    const vec3 al = v3_sub(v3_sub(acceleration[1].a, acceleration[0].a), v3_cross(w, end[1].w));
    const vec3 li = v3_sub(v3_sub(v3_sub(acceleration[1].l, acceleration[0].l), v3_cross(acceleration[0].a, d)),
                           v3_add(v3_cross(w, v3_cross(w, d)), v3_scale(2, v3_cross(w, s))));
    spatial    A  = {m3_tmul(B, al), m3_tmul(B, li)};
    if (cd_is_sequence(joint)) {
        const cd_walk          t = cd_walk_steps(joint, q, v);
        const cd_joint_columns c = cd_walk_columns(joint, &t);
        A                        = (spatial){v3_sub(A.a, t.alpha), v3_sub(A.l, t.a)};
        fit(&c, A, a);
        return;
    }
    if (joint->nstep == 0) return;
    const bool floating = joint->step[0].motion == CD_FLOAT;
    const vec3 spin     = m3_tmul(m3_mul_m3(m3_transpose(B), end[1].T.R), A.a);
    double*    u        = a + (floating ? 3 : 0);
    u[0] = spin.x, u[1] = spin.y, u[2] = spin.z;
    if (floating) a[0] = A.l.x, a[1] = A.l.y, a[2] = A.l.z;
}

// F = sum of d x with S'F = effort. Directions that depend on each other, as two turns about one axis with a slide between them,
// cannot give that: then the smallest wrench that does, F = sum of S x.
spatial cd_joint_wrench(const cd_joint_columns* c, const double* effort)
{
    double A[N * N], x[N], work[WORK];
    int    pivot[N], rank = -1;
    for (int pass = 0; c->n > 0 && pass < 2 && rank != c->n; ++pass) {
        const spatial* d = pass == 0 ? c->d : c->S;
        spatial        F = sv_zero();
        for (int i = 0; i < c->n; ++i) {
            x[i] = effort[i];
            for (int j = 0; j < c->n; ++j) A[j * c->n + i] = sv_dot(c->S[i], d[j]);
        }
        rank = eliminate(c->n, A, x) ? c->n : cd_lapack_least_squares(c->n, A, x, pass == 0 ? 1e-9 : 1e-12, work, pivot);
        for (int i = 0; i < c->n; ++i) F = sv_add_scaled(F, x[i], d[i]);
        if (rank == c->n || (pass == 1 && rank > 0)) return F;
    }
    return sv_zero();
}
