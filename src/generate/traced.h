// SPDX-License-Identifier: BSD-3-Clause
// Bones over traced numbers: how axes follow each other, and what is shared by the recursions. For trace_*.c only.
//
// A vector of bone i in axes E(i) is written in those of its parent by  x_p = Q x,
//
//   Q = Z(turn of the parent) R0 Z(joint) Z(turn of the bone)'        Z: rotation about z
//
// where one or both of the turns are nothing; with parallel axes they add up to one angle.
#pragma once

#include "generate/trace.h"
#include "math/spatial.h"

// A rotation about z.
typedef struct turn {
    bool none;
    real angle, s, c;
} turn;

typedef struct traced_bone {
    const cd_bone* bone;
    turn           inside; // from the axes of the bone to its frame
    turn           before; // Q = before * R0 * behind (or ball)
    mat3           R0, ball;
    turn           behind;
    bool           fixed, jointed; // R0 is not one; ball is there
    vec3           p;              // origin, axes of the parent
    spatial        S[6];           // motion columns, axes of the bone
    vec3           rate_w;         // of its joint
    cd_graph*      graph;
    const cd_bone* like;   // its twin, or NULL
    int            tag;    // of its constants, the same in both
    bool           second; // of the two
} traced_bone;

typedef struct cd_marks cd_marks;

typedef struct tracing {
    cd_graph*          graph;
    const cd_skeleton* s;
    const cd_sources*  in;
    real *             q, *v, *a;
    traced_bone*       bone;
    int*               twin;  // (nbone) bones of two branches that are alike, or -1 (trace_twins.c)
    cd_marks*          marks; // numbers of bones that have twins
    int*     step; // (2 nbone) around the tree: i where bone i is entered, ~i where it is left, all behind it done
    cd_arena arena;
} tracing;

// Branches of one bone that differ in their constants alone: twin (nbone). Numbers of a bone that are computed alike in
// its twin are marked; twins then pair them.
cd_marks* cd_marks_create(void); // NULL without memory: nothing is marked
void      cd_marks_destroy(cd_marks* m);
void      cd_find_twins(const cd_skeleton* s, int* twin);
void      cd_mark(const tracing* t, int bone, size_t n, const real* x);
void      cd_pair_twins(const tracing* t);
// A constant of a bone, given by its place in it. That of a bone with a twin is a number of its side, whose sign is
// that of the first of the two.
real               cd_bone_number(const traced_bone* b, const double* c);
static inline vec3 bone_vector(const traced_bone* b, const double c[3])
{
    return v3(cd_bone_number(b, c), cd_bone_number(b, c + 1), cd_bone_number(b, c + 2));
}
static inline sym3 bone_symmetric(const traced_bone* b, const double c[6])
{
    return (sym3){cd_bone_number(b, c),     cd_bone_number(b, c + 1), cd_bone_number(b, c + 2),
                  cd_bone_number(b, c + 3), cd_bone_number(b, c + 4), cd_bone_number(b, c + 5)};
}
static inline mat3 bone_matrix(const traced_bone* b, const double c[9])
{
    return (mat3){cd_bone_number(b, c),     cd_bone_number(b, c + 1), cd_bone_number(b, c + 2),
                  cd_bone_number(b, c + 3), cd_bone_number(b, c + 4), cd_bone_number(b, c + 5),
                  cd_bone_number(b, c + 6), cd_bone_number(b, c + 7), cd_bone_number(b, c + 8)};
}

cardan_status cd_tracing_begin(tracing* t, cd_graph* graph, const cd_skeleton* s, const cd_sources* in);
void          cd_tracing_end(tracing* t);

// How a bone moves: own axes, at its origin; a is the true acceleration there, gravity included. n and f move the bone
// by itself.
typedef struct traced_motion {
    vec3 w, alpha, a;
    mat3 B; // alpha~ + w~ w~
    vec3 n, f;
} traced_motion;

// Of ground, and of bone i from its parent's; m has ground at m[-1].
traced_motion cd_traced_ground(const tracing* t);
void          cd_traced_motion(const tracing* t, int i, bool accelerated, traced_motion* m);
// tau (nv) = ID, with a or with a = 0. Wrenches on links (nlink, own axes, at their origins), or NULL.
cardan_status cd_traced_inverse(const tracing* t, bool accelerated, const spatial* wrench, real* tau);
// M (nv x nv), one triangle, at mass_at.
cardan_status cd_traced_mass(const tracing* t, real* M);
void          cd_traced_factor(const tracing* t, real* M);
void          cd_traced_solve_rows(const tracing* t, const real* M, int count, real* X);
void          cd_traced_solve(const tracing* t, const real* M, real* x);
// a (nv) = M^-1 r by articulated bodies.
cardan_status cd_traced_articulated(const tracing* t, const real* r, real* a);

// Derivatives of ID(q, v, a): tau_q, tau_v (both or none), M (nv x nv, row by row; may be NULL). `a` NULL: zero.
cardan_status cd_traced_inverse_slopes(const tracing* t, const real* a, real* tau_q, real* tau_v, real* M);

static inline real* mass_at(real* M, int n, int i, int j)
{
    return M + (size_t)(i > j ? i : j) * (size_t)n + (i > j ? j : i);
}

// Nodes out; false without memory.
bool cd_tracing_give(tracing* t, int n, const real* x, cd_node* node);

static inline real traced_input(const tracing* t, int i)
{
    return (real){t->graph, cd_input(t->graph, i), t->in->sample[i]};
}

static inline sym3 symmetric_zero(void) { return s3_lift((double[6]){0}); }
static inline mat3 matrix_zero(void) { return m3_lift((double[9]){0}); }

static inline vec3 turn_out(turn t, vec3 a)
{
    if (t.none) return a;
    return v3(r_sub(r_mul(t.c, a.x), r_mul(t.s, a.y)), r_add(r_mul(t.s, a.x), r_mul(t.c, a.y)), a.z);
}
static inline vec3 turn_in(turn t, vec3 a)
{
    if (t.none) return a;
    return v3(r_add(r_mul(t.c, a.x), r_mul(t.s, a.y)), r_sub(r_mul(t.c, a.y), r_mul(t.s, a.x)), a.z);
}
static inline mat3 turn_matrix(turn t, mat3 A);
static inline sym3 turn_symmetric(turn t, sym3 A);

// x_p = Q x, x = Q' x_p
static inline vec3 vector_out(const traced_bone* b, vec3 a)
{
    a = b->jointed ? m3_mul(b->ball, a) : turn_out(b->behind, a);
    if (b->fixed) a = m3_mul(b->R0, a);
    return turn_out(b->before, a);
}
static inline vec3 vector_in(const traced_bone* b, vec3 a)
{
    a = turn_in(b->before, a);
    if (b->fixed) a = m3_tmul(b->R0, a);
    return b->jointed ? m3_tmul(b->ball, a) : turn_in(b->behind, a);
}

// Z A Z' with s s and s c shared:  u = ss (xx - yy) + sc (xy + yx),  v = sc (xx - yy) - ss (xy + yx)
static inline mat3 turn_matrix(turn t, mat3 A)
{
    if (t.none) return A;
    const real ss = r_mul(t.s, t.s), sc = r_mul(t.s, t.c), d = r_sub(A.xx, A.yy), r = r_add(A.xy, A.yx);
    const real u = r_add(r_mul(ss, d), r_mul(sc, r)), v = r_sub(r_mul(sc, d), r_mul(ss, r));
    const vec3 z = turn_out(t, v3(A.xz, A.yz, A.zz)), w = turn_out(t, v3(A.zx, A.zy, A.zz));
    return (mat3){r_sub(A.xx, u), r_add(A.xy, v), z.x, r_add(A.yx, v), r_add(A.yy, u), z.y, w.x, w.y, A.zz};
}
static inline sym3 turn_symmetric(turn t, sym3 A)
{
    if (t.none) return A;
    const real two = r_lift(2), ss = r_mul(t.s, t.s), sc = r_mul(t.s, t.c), d = r_sub(A.xx, A.yy);
    const real u = r_add(r_mul(ss, d), r_mul(r_mul(two, sc), A.xy));
    const vec3 z = turn_out(t, v3(A.xz, A.yz, A.zz));
    return (sym3){r_sub(A.xx, u),
                  r_add(A.yy, u),
                  A.zz,
                  r_add(r_mul(sc, d), r_mul(r_sub(r_lift(1), r_mul(two, ss)), A.xy)),
                  z.x,
                  z.y};
}
static inline mat3 matrix_out(const traced_bone* b, mat3 A)
{
    A = b->jointed ? m3_mul_m3(b->ball, m3_mul_m3(A, m3_transpose(b->ball))) : turn_matrix(b->behind, A);
    if (b->fixed) A = m3_mul_m3(b->R0, m3_mul_m3(A, m3_transpose(b->R0)));
    return turn_matrix(b->before, A);
}
static inline sym3 symmetric_out(const traced_bone* b, sym3 A)
{
    A = b->jointed ? s3_rotate(b->ball, A) : turn_symmetric(b->behind, A);
    if (b->fixed) A = s3_rotate(b->R0, A);
    return turn_symmetric(b->before, A);
}

// Inertia of a bone, axes E: h turned, J turned.
static inline vec3 bone_h(const traced_bone* b) { return turn_out(b->inside, bone_vector(b, b->bone->h)); }
static inline sym3 bone_J(const traced_bone* b) { return turn_symmetric(b->inside, bone_symmetric(b, b->bone->J)); }
