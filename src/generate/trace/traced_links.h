// SPDX-License-Identifier: BSD-3-Clause
// Links over traced numbers: their axes, and the functions that all recursions use. For trace_*.c only.
//
// A vector x of link i in axes E(i) is x_p = Q x in the axes of its parent,
//
//   Q = Z(frame rotation of the parent) R0 Z(joint) Z(frame rotation of the link)'        Z: rotation about z
//
// where one or both of the frame rotations may be identities; for parallel axes all rotations add up to one angle.
#pragma once

#include "generate/trace/input_layout.h"
#include "math/spatial.h"

// Rotation about z.
typedef struct z_rotation {
    bool is_identity;
    real angle, s, c;
} z_rotation;

typedef struct traced_link {
    const cd_tree_link* link;
    z_rotation          frame_rotation;  // rotation of the frame of the link relative to its axes E
    z_rotation          rotation_before; // Q = rotation_before * R0 * rotation_after (or joint_rotation)
    mat3                R0, joint_rotation;
    z_rotation          rotation_after;
    bool                has_tree_rotation, has_joint_rotation; // R0 is not the identity; joint_rotation is used
    vec3                p;                                     // origin, axes of the parent
    spatial             S[6];                                  // motion columns, axes of the link
    cd_graph*           graph;
    const cd_tree_link* partner;      // corresponding link of the paired branch, or NULL
    int                 constant_tag; // tag of its constants, the same in both branches
    bool                is_second;    // in the second of both branches
} traced_link;

typedef struct cd_pair_marks cd_pair_marks;

typedef struct tracing {
    cd_graph*              graph;
    const cd_link_tree*    tree;
    const cd_input_layout* in;
    real *                 q, *v, *a;
    traced_link*           link;
    int*                   partner; // (nlink) corresponding links of paired branches, or -1 (trace_pairs.c)
    cd_pair_marks*         marks;   // marked numbers of links with partners
    int* euler_tour; // (2 nlink) Euler tour: i where link i is entered, ~i where it is left, after all its descendants
    cd_arena arena;
} tracing;

// Find branches of one link that differ in their constants only: partner (nlink). cd_mark_paired marks numbers of a
// link that are computed alike in its partner; cd_pair_marked makes pairs of the marked numbers.
cd_pair_marks* cd_pair_marks_create(void); // NULL if memory runs out: then nothing is marked
void           cd_pair_marks_destroy(cd_pair_marks* m);
void           cd_find_paired_branches(const cd_link_tree* tree, int* partner);
void           cd_mark_paired(const tracing* t, int link, size_t n, const real* x);
void           cd_pair_marked(const tracing* t);
// Constant of a link, given by its address in it. The constant of a link with a partner is a branch constant, whose
// sign is that of the first branch.
real               cd_link_constant(const traced_link* b, const double* c);
static inline vec3 link_vector(const traced_link* b, const double c[3])
{
    return v3(cd_link_constant(b, c), cd_link_constant(b, c + 1), cd_link_constant(b, c + 2));
}
static inline sym3 link_symmetric(const traced_link* b, const double c[6])
{
    return (sym3){cd_link_constant(b, c),     cd_link_constant(b, c + 1), cd_link_constant(b, c + 2),
                  cd_link_constant(b, c + 3), cd_link_constant(b, c + 4), cd_link_constant(b, c + 5)};
}
static inline mat3 link_matrix(const traced_link* b, const double c[9])
{
    return (mat3){cd_link_constant(b, c),     cd_link_constant(b, c + 1), cd_link_constant(b, c + 2),
                  cd_link_constant(b, c + 3), cd_link_constant(b, c + 4), cd_link_constant(b, c + 5),
                  cd_link_constant(b, c + 6), cd_link_constant(b, c + 7), cd_link_constant(b, c + 8)};
}

cardan_status cd_tracing_begin(tracing* t, cd_graph* graph, const cd_link_tree* tree, const cd_input_layout* in);
void          cd_tracing_end(tracing* t);

// Motion of a link, in its axes at its origin. a is the acceleration minus gravity; n and f are the moment and force
// that the link by itself needs for this motion.
typedef struct traced_motion {
    vec3 w, alpha, a;
    mat3 B; // alpha~ + w~ w~
    vec3 n, f;
} traced_motion;

// Motion of ground, and of link i from that of its parent; m[-1] is ground.
traced_motion cd_traced_ground_motion(const tracing* t);
void          cd_traced_link_motion(const tracing* t, int i, bool accelerated, traced_motion* m);
// tau (nv) = ID(q, v, a), or ID(q, v, 0) if not accelerated. `wrench`: wrenches on links (nlink, link axes, at link
// origins), or NULL.
cardan_status cd_traced_inverse_dynamics(const tracing* t, bool accelerated, const spatial* wrench, real* tau);
// Mass matrix M (nv x nv), one triangle, accessed by mass_at.
cardan_status cd_traced_mass_matrix(const tracing* t, real* M);
void          cd_traced_mass_factor(const tracing* t, real* M);
void          cd_traced_mass_solve_columns(const tracing* t, const real* M, int count, real* X);
void          cd_traced_mass_solve(const tracing* t, const real* M, real* x);
// a (nv) = M^-1 r by articulated bodies.
cardan_status cd_traced_articulated_solve(const tracing* t, const real* r, real* a);

// Derivatives of ID(q, v, a): tau_q, tau_v (both or none), M (nv x nv, row by row; may be NULL). `a` NULL: zero.
cardan_status cd_traced_inverse_derivatives(const tracing* t, const real* a, real* tau_q, real* tau_v, real* M);

static inline real* mass_at(real* M, int n, int i, int j)
{
    return M + (size_t)(i > j ? i : j) * (size_t)n + (i > j ? j : i);
}

// Write the nodes of n numbers. Returns false if memory runs out.
bool cd_tracing_output(tracing* t, int n, const real* x, cd_node* node);

static inline real traced_input(const tracing* t, int i)
{
    return (real){t->graph, cd_input(t->graph, i), t->in->trace_input[i]};
}

static inline sym3 symmetric_zero(void) { return s3_const((double[6]){0}); }
static inline mat3 matrix_zero(void) { return m3_const((double[9]){0}); }

static inline vec3 z_rotate(z_rotation t, vec3 a)
{
    if (t.is_identity) return a;
    return v3(r_sub(r_mul(t.c, a.x), r_mul(t.s, a.y)), r_add(r_mul(t.s, a.x), r_mul(t.c, a.y)), a.z);
}
static inline vec3 z_rotate_back(z_rotation t, vec3 a)
{
    if (t.is_identity) return a;
    return v3(r_add(r_mul(t.c, a.x), r_mul(t.s, a.y)), r_sub(r_mul(t.c, a.y), r_mul(t.s, a.x)), a.z);
}
static inline mat3 z_rotate_matrix(z_rotation t, mat3 A);
static inline sym3 z_rotate_symmetric(z_rotation t, sym3 A);

// x_p = Q x, x = Q' x_p
static inline vec3 vector_to_parent(const traced_link* b, vec3 a)
{
    a = b->has_joint_rotation ? m3_mul(b->joint_rotation, a) : z_rotate(b->rotation_after, a);
    if (b->has_tree_rotation) a = m3_mul(b->R0, a);
    return z_rotate(b->rotation_before, a);
}
static inline vec3 vector_from_parent(const traced_link* b, vec3 a)
{
    a = z_rotate_back(b->rotation_before, a);
    if (b->has_tree_rotation) a = m3_tmul(b->R0, a);
    return b->has_joint_rotation ? m3_tmul(b->joint_rotation, a) : z_rotate_back(b->rotation_after, a);
}

// Z A Z' with common products s s and s c:  u = ss (xx - yy) + sc (xy + yx),  v = sc (xx - yy) - ss (xy + yx)
static inline mat3 z_rotate_matrix(z_rotation t, mat3 A)
{
    if (t.is_identity) return A;
    const real ss = r_mul(t.s, t.s), sc = r_mul(t.s, t.c), d = r_sub(A.xx, A.yy), r = r_add(A.xy, A.yx);
    const real u = r_add(r_mul(ss, d), r_mul(sc, r)), v = r_sub(r_mul(sc, d), r_mul(ss, r));
    const vec3 z = z_rotate(t, v3(A.xz, A.yz, A.zz)), w = z_rotate(t, v3(A.zx, A.zy, A.zz));
    return (mat3){r_sub(A.xx, u), r_add(A.xy, v), z.x, r_add(A.yx, v), r_add(A.yy, u), z.y, w.x, w.y, A.zz};
}
static inline sym3 z_rotate_symmetric(z_rotation t, sym3 A)
{
    if (t.is_identity) return A;
    const real two = r_const(2), ss = r_mul(t.s, t.s), sc = r_mul(t.s, t.c), d = r_sub(A.xx, A.yy);
    const real u = r_add(r_mul(ss, d), r_mul(r_mul(two, sc), A.xy));
    const vec3 z = z_rotate(t, v3(A.xz, A.yz, A.zz));
    return (sym3){r_sub(A.xx, u),
                  r_add(A.yy, u),
                  A.zz,
                  r_add(r_mul(sc, d), r_mul(r_sub(r_const(1), r_mul(two, ss)), A.xy)),
                  z.x,
                  z.y};
}
static inline mat3 matrix_to_parent(const traced_link* b, mat3 A)
{
    A = b->has_joint_rotation ? m3_mul_m3(b->joint_rotation, m3_mul_m3(A, m3_transpose(b->joint_rotation)))
                              : z_rotate_matrix(b->rotation_after, A);
    if (b->has_tree_rotation) A = m3_mul_m3(b->R0, m3_mul_m3(A, m3_transpose(b->R0)));
    return z_rotate_matrix(b->rotation_before, A);
}
static inline sym3 symmetric_to_parent(const traced_link* b, sym3 A)
{
    A = b->has_joint_rotation ? s3_rotate(b->joint_rotation, A) : z_rotate_symmetric(b->rotation_after, A);
    if (b->has_tree_rotation) A = s3_rotate(b->R0, A);
    return z_rotate_symmetric(b->rotation_before, A);
}

// First and second moments of a link, in its axes E.
static inline vec3 link_first_moment(const traced_link* b)
{
    return z_rotate(b->frame_rotation, link_vector(b, b->link->h));
}
static inline sym3 link_second_moment(const traced_link* b)
{
    return z_rotate_symmetric(b->frame_rotation, link_symmetric(b, b->link->J));
}
