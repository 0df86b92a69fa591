// SPDX-License-Identifier: BSD-3-Clause
// Coordinates of off-tree joints. A joint is a sequence of elementary joints; in the frame of its first marker
//
//   pose       T(q) = T_1 ... T_n                from the last value, for winding (constraint_general_joint.c)
//   velocity   V = sum of S_i v_i                least squares; exact if the joint equations are satisfied
//   acceleration  A - A(a = 0) = sum of S_i a_i
//
// Joints of one coordinate, spherical and free joints are computed directly; cylindrical and planar joints axis by
// axis; universal joints as in coordinate_rows.c, so that motors, drivers and derived angles are the same angles
// whether the joint equations are satisfied or not:
//
//   q1 = angle about a from b_0 to R b_0     v1 = g1.w   g1 = (a - (a.b) b) / (1 - (a.b)^2)   a fixed in marker 1
//   q2 = angle about b from a to R a         v2 = g2.w   g2 = (b - (a.b) a) / (1 - (a.b)^2)   b fixed in marker 2
#include "constraint/joint_chain.h"
#include "constraint/constraint_tolerances.h"

#include "math/rotation.h"

#include <math.h>
#include <string.h>

enum { N = CARDAN_JOINT_VELOCITIES_MAX, LEAST_SQUARES_WORK = 4 * N + (N + 1) * 32 + 64 };

static double magnitude(real a) { return fabs(r_value(a)); }

// Solve A x = b by elimination with pivoting, b in x; A by columns, n small. Returns false, x unchanged, if A is nearly
// singular.
static bool solve_pivoted(int n, const real* A, real* x)
{
    real   M[N * (N + 1)];
    double largest = 0;
    for (int i = 0; i < n * n; ++i) largest = fmax(largest, magnitude(A[i]));
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) M[i * (n + 1) + j] = A[j * n + i];
        M[i * (n + 1) + n] = x[i];
    }
    for (int k = 0; k < n; ++k) {
        int best = k;
        for (int i = k + 1; i < n; ++i)
            if (magnitude(M[i * (n + 1) + k]) > magnitude(M[best * (n + 1) + k])) best = i;
        if (!(magnitude(M[best * (n + 1) + k]) > cd_joint_pivot_tolerance * largest)) return false;
        for (int j = k; j <= n && best != k; ++j) {
            const real swapped    = M[k * (n + 1) + j];
            M[k * (n + 1) + j]    = M[best * (n + 1) + j];
            M[best * (n + 1) + j] = swapped;
        }
        for (int i = k + 1; i < n; ++i) {
            const real f = r_div(M[i * (n + 1) + k], M[k * (n + 1) + k]);
            for (int j = k; j <= n; ++j) M[i * (n + 1) + j] = r_sub(M[i * (n + 1) + j], r_mul(f, M[k * (n + 1) + j]));
        }
    }
    for (int i = n - 1; i >= 0; --i) {
        x[i] = M[i * (n + 1) + n];
        for (int j = i + 1; j < n; ++j) x[i] = r_sub(x[i], r_mul(M[i * (n + 1) + j], x[j]));
        x[i] = r_div(x[i], M[i * (n + 1) + i]);
    }
    return true;
}

// Least-squares x with sum of columns x = b; length scale 1 m.
static void fit_columns(const cd_joint_columns* c, spatial b, real* x)
{
    real A[N * N], work[LEAST_SQUARES_WORK];
    int  pivot[N];
    for (int i = 0; i < c->n; ++i) {
        x[i] = sv_dot(c->S[i], b);
        for (int j = 0; j < c->n; ++j) A[i * c->n + j] = sv_dot(c->S[i], c->S[j]);
    }
    if (c->n <= 0 || solve_pivoted(c->n, A, x) ||
        r_least_squares(c->n, A, x, cd_joint_rank_tolerance, work, pivot) >= 0)
        return;
    for (int i = 0; i < c->n; ++i) x[i] = r_const(0);
}

// Revolute, prismatic and screw joints directly from the two markers.
static void single_axis_state(const cd_elementary_joint* element, const cd_end_state end[2], real* q, real* v)
{
    const vec3 axis = cd_elementary_joint_axis(element), world = m3_mul(end[0].T.R, axis);
    if (element->motion == CD_PRISMATIC) {
        const cd_relative_motion motion = cd_relative_motion_of(end);
        *q                              = v3_dot(world, motion.d);
        *v                              = v3_dot(world, motion.s);
        return;
    }
    *q = nearest_winding(swing_twist_angle(m3_relative(end[0].T.R, end[1].T.R), axis), *q);
    *v = v3_dot(world, v3_sub(end[1].w, end[0].w));
}

// Angle about the unit vector `axis` from x to y.
static real angle_about(vec3 axis, vec3 x, vec3 y)
{
    return r_atan2(v3_dot(axis, v3_cross(x, y)), r_sub(v3_dot(x, y), r_mul(v3_dot(axis, x), v3_dot(axis, y))));
}

// Two revolute axes with a universal row, not a general joint.
static bool is_universal(const cd_compiled_joint* joint)
{
    return joint->nelementary == 2 && joint->type->locked != 0 && joint->elementary[0].motion == CD_REVOLUTE &&
           joint->elementary[1].motion == CD_REVOLUTE;
}

// Directions dual to the axes: v = g.w, and the torque of efforts is the sum of g effort. Returns false if the axes are
// nearly parallel.
static bool universal_directions(vec3 a, vec3 b, vec3 g[2])
{
    const real c = v3_dot(a, b), s2 = r_sub(r_const(1), r_mul(c, c));
    if (r_can_branch() && !(r_value(s2) > cd_universal_axes_sine_sq)) return false;
    g[0] = v3_div(v3_add_scaled(a, r_neg(c), b), s2);
    g[1] = v3_div(v3_add_scaled(b, r_neg(c), a), s2);
    return true;
}

static bool universal_state(const cd_compiled_joint* joint, const cd_relative_state* s, real* q, real* v)
{
    const vec3 a         = cd_elementary_joint_axis(&joint->elementary[0]),
               reference = cd_elementary_joint_axis(&joint->elementary[1]), b = m3_mul(s->R, reference);
    vec3 g[2];
    if (!universal_directions(a, b, g)) return false;
    q[0] = nearest_winding(angle_about(a, reference, b), q[0]);
    q[1] = nearest_winding(angle_about(b, a, m3_mul(s->R, a)), q[1]);
    for (int i = 0; i < 2; ++i) v[i] = v3_dot(g[i], s->V.a);
    return true;
}

// Translations along different axes of the first marker and one rotation that moves none of them: cylindrical and
// planar joints.
static bool is_decoupled(const cd_compiled_joint* joint)
{
    const bool slides_first = joint->elementary[joint->nelementary - 1].motion == CD_REVOLUTE,
               along        = joint->nelementary == 2;
    int hinges              = 0;
    if (joint->type->locked == 0) return false;
    for (int i = 0; i < joint->nelementary; ++i) {
        const double* x = joint->elementary[i].axis;
        hinges += joint->elementary[i].motion != CD_PRISMATIC;
        if (joint->elementary[i].motion == CD_SCREW) return false;
        for (int k = 0; k < i; ++k) {
            const double* y   = joint->elementary[k].axis;
            const double  dot = x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
            if (!(dot == 0 && slides_first) && !(along && x[0] == y[0] && x[1] == y[1] && x[2] == y[2] && hinges == 1))
                return false;
        }
    }
    return hinges <= 1;
}

static void quaternion_state(const cd_compiled_joint* joint, const cd_relative_state* s, real* q, real* v)
{
    const bool floating = joint->elementary[0].motion == CD_FREE;
    real*      e        = q + (floating ? 3 : 0);
    real       now[4], same = r_const(0);
    const vec3 w = m3_tmul(s->R, s->V.a); // axes of the second body
    quaternion_of_matrix(s->R, now);
    for (int i = 0; i < 4; ++i) same = r_add(same, r_mul(now[i], e[i]));
    for (int i = 0; i < 4; ++i) e[i] = r_select(same, r_const(0), r_neg(now[i]), now[i]);
    real* u = v + (floating ? 3 : 0);
    u[0] = w.x, u[1] = w.y, u[2] = w.z;
    if (!floating) return;
    q[0] = s->p.x, q[1] = s->p.y, q[2] = s->p.z;
    v[0] = s->V.l.x, v[1] = s->V.l.y, v[2] = s->V.l.z;
}

void cd_joint_state_from_frames(const cd_compiled_joint* joint, const cd_end_state end[2], real* q, real* v)
{
    const bool is_sequence = cd_joint_is_axis_sequence(joint), universal = is_sequence && is_universal(joint);
    if (is_sequence && !universal && (joint->nelementary == 1 || is_decoupled(joint))) {
        for (int i = 0; i < joint->nelementary; ++i) single_axis_state(&joint->elementary[i], end, q + i, v + i);
        return;
    }
    const cd_relative_state s = cd_relative_state_of(end);
    if (!is_sequence) {
        if (joint->nelementary > 0) quaternion_state(joint, &s, q, v);
        return;
    }
    if (universal && universal_state(joint, &s, q, v)) return;
    cd_general_joint_state sequence;
    cd_general_joint_evaluate(joint, end, q, NULL, &sequence);
    memcpy(q, sequence.q, (size_t)sequence.n * sizeof *q);
    memcpy(v, sequence.v, (size_t)sequence.n * sizeof *v);
}

// Shift columns to another point at `arm` from their current one.
static void shift_columns(cd_joint_columns* c, vec3 arm)
{
    for (int i = 0; i < c->n; ++i) c->S[i].l = v3_add(c->S[i].l, v3_cross(c->S[i].a, arm));
}

static spatial rotated(mat3 R, spatial S) { return (spatial){m3_mul(R, S.a), m3_mul(R, S.l)}; }

cd_joint_columns cd_joint_columns_at(const cd_compiled_joint* joint, const cd_end_state end[2], const real* q)
{
    cd_joint_columns c;
    const mat3       second = end[1].T.R, first = end[0].T.R;
    if (joint->nelementary == 1 && cd_joint_is_axis_sequence(joint)) {
        const cd_elementary_joint* element = &joint->elementary[0];
        const vec3                 x       = m3_mul(first, cd_elementary_joint_axis(element));
        c.n                                = 1;
        c.wrench_direction[0] = element->motion == CD_PRISMATIC ? (spatial){v3_zero(), x} : (spatial){x, v3_zero()};
        c.S[0] =
            element->motion == CD_SCREW ? (spatial){x, v3_scale(r_const(element->pitch), x)} : c.wrench_direction[0];
        return c;
    }
    if (is_universal(joint)) {
        c.n = 2;
        for (int i = 0; i < 2; ++i)
            c.S[i] = c.wrench_direction[i] =
                (spatial){m3_mul(i == 0 ? first : second, cd_elementary_joint_axis(&joint->elementary[i])), v3_zero()};
        return c;
    }
    if (cd_joint_is_axis_sequence(joint)) {
        const cd_joint_chain t = cd_joint_chain_evaluate(joint, q, NULL);
        c                      = cd_joint_chain_columns(joint, &t);
        shift_columns(&c, v3_neg(t.p));
        for (int i = 0; i < c.n; ++i) {
            c.S[i]                = rotated(first, c.S[i]);
            c.wrench_direction[i] = rotated(first, c.wrench_direction[i]);
        }
        return c;
    }
    const bool moves = joint->nelementary > 0, floating = moves && joint->elementary[0].motion == CD_FREE;
    c.n = 0;
    for (int i = 0; floating && i < 3; ++i) c.S[c.n++] = (spatial){v3_zero(), m3_column(first, i)};
    for (int i = 0; moves && i < 3; ++i) c.S[c.n++] = (spatial){m3_column(second, i), v3_zero()};
    memcpy(c.wrench_direction, c.S, (size_t)c.n * sizeof *c.wrench_direction);
    shift_columns(&c, v3_sub(end[0].T.p, end[1].T.p));
    return c;
}

// Acceleration of a marker, from that of its link.
static spatial marker_acceleration(const cd_end_state* end, spatial link)
{
    return (spatial){link.a, v3_add(v3_add(link.l, v3_cross(link.a, end->r)), end->bias)};
}

void cd_joint_acceleration(const cd_compiled_joint* joint, const cd_world_motion* world, const real* q, const real* v,
                           real* a)
{
    const cd_link_frame *first = &joint->frame_first, *second = &joint->frame_second;
    const cd_end_state   end[2]          = {cd_end_state_of(first, world), cd_end_state_of(second, world)};
    const spatial        acceleration[2] = {marker_acceleration(&end[0], world->acceleration[first->link]),
                                            marker_acceleration(&end[1], world->acceleration[second->link])};
    // relative acceleration of the second marker in the frame of the first
    const mat3 B = end[0].T.R;
    const vec3 d = v3_sub(end[1].T.p, end[0].T.p), w = end[0].w;
    const vec3 s  = v3_sub(v3_sub(end[1].v, end[0].v), v3_cross(w, d));
    const vec3 al = v3_sub(v3_sub(acceleration[1].a, acceleration[0].a), v3_cross(w, end[1].w));
    const vec3 li = v3_sub(v3_sub(v3_sub(acceleration[1].l, acceleration[0].l), v3_cross(acceleration[0].a, d)),
                           v3_add(v3_cross(w, v3_cross(w, d)), v3_scale(r_const(2), v3_cross(w, s))));
    spatial    A  = {m3_tmul(B, al), m3_tmul(B, li)};
    if (cd_joint_is_axis_sequence(joint)) {
        const cd_joint_chain   t = cd_joint_chain_evaluate(joint, q, v);
        const cd_joint_columns c = cd_joint_chain_columns(joint, &t);
        A                        = (spatial){v3_sub(A.a, t.alpha), v3_sub(A.l, t.a)};
        fit_columns(&c, A, a);
        return;
    }
    if (joint->nelementary == 0) return;
    const bool floating = joint->elementary[0].motion == CD_FREE;
    const vec3 spin     = m3_tmul(m3_relative(B, end[1].T.R), A.a);
    real*      u        = a + (floating ? 3 : 0);
    u[0] = spin.x, u[1] = spin.y, u[2] = spin.z;
    if (floating) a[0] = A.l.x, a[1] = A.l.y, a[2] = A.l.z;
}

// F = sum of d x with S'F = effort. If the directions are linearly dependent, e.g. two rotations about one axis with a
// translation between them, no such x exists: then the wrench of least norm, F = sum of S x.
spatial cd_joint_wrench(const cd_joint_columns* c, const real* effort)
{
    if (c->n == 1) return sv_scale(r_div(effort[0], sv_dot(c->S[0], c->wrench_direction[0])), c->wrench_direction[0]);
    real A[N * N], x[N], work[LEAST_SQUARES_WORK];
    int  pivot[N], rank = -1;
    for (int pass = 0; c->n > 0 && pass < 2 && rank != c->n; ++pass) {
        const spatial* d = pass == 0 ? c->wrench_direction : c->S;
        spatial        F = sv_zero();
        for (int i = 0; i < c->n; ++i) {
            x[i] = effort[i];
            for (int j = 0; j < c->n; ++j) A[j * c->n + i] = sv_dot(c->S[i], d[j]);
        }
        rank = solve_pivoted(c->n, A, x)
                   ? c->n
                   : r_least_squares(c->n, A, x, pass == 0 ? cd_wrench_rank_tolerance : cd_joint_rank_tolerance, work,
                                     pivot);
        for (int i = 0; i < c->n; ++i) F = sv_add_scaled(F, x[i], d[i]);
        if (rank == c->n || (pass == 1 && rank > 0)) return F;
    }
    return sv_zero();
}
