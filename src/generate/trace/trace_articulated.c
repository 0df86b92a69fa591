// SPDX-License-Identifier: BSD-3-Clause
// M a = r by articulated bodies over traced numbers: the sweeps of formulation/tree/articulated.c, with exact zeros and
// ones for revolute and prismatic joints.
//
//   inward    U = IA S,  D = S'U + armature,  W = U / D,   Ia = IA - U W',   u = r - S'p,   p + W u    to the parent
//   outward   a = u / D - W'A,   A + S a
//
// For a revolute joint about z without armature W_z = 1: row and column z of Ia vanish, and the moment about z on the
// parent is r.
#include "generate/trace/traced_links.h"

#include <stdlib.h>

typedef struct joint_elimination {
    spatial W;
    real    force, inverse_inertia;
} joint_elimination;

typedef struct articulated_body {
    articulated_inertia I;
    spatial             p, A;
} articulated_body;

static bool has_unit_axis(const tracing* t, const cd_tree_link* link)
{
    return link->motion <= CD_PRISMATIC && t->tree->armature[link->v] == 0;
}

static articulated_inertia articulated_inertia_of(const traced_link* b)
{
    const sym3    J  = link_second_moment(b);
    const double* c  = b->link->J;
    const real    zz = cd_link_constant(b, &c[2]);
    const sym3    I  = {r_add(J.yy, zz), r_add(J.xx, zz), r_add(cd_link_constant(b, &c[0]), cd_link_constant(b, &c[1])),
                        r_neg(J.xy),     r_neg(J.xz),     r_neg(J.yz)};
    return articulated_of_rigid((rigid){cd_link_constant(b, &b->link->m), link_first_moment(b), I});
}

// Set the exact values after the elimination of a free axis z.
static void clear_free_axis(const cd_tree_link* link, articulated_inertia* I, joint_elimination* j, spatial* p, real r)
{
    const real zero = r_const(0), one = r_const(1);
    if (link->motion == CD_REVOLUTE) {
        I->A.xz = I->A.yz = I->A.zz = I->H.zx = I->H.zy = I->H.zz = zero;
        j->W.a.z                                                  = one;
        p->a.z                                                    = r;
    } else {
        I->M.xz = I->M.yz = I->M.zz = I->H.xz = I->H.yz = I->H.zz = zero;
        j->W.l.z                                                  = one;
        p->l.z                                                    = r;
    }
}

static void eliminate(const tracing* t, const traced_link* b, int k, real r, articulated_body* at, joint_elimination* j)
{
    const int     v = b->link->v + k;
    const spatial S = b->S[k], U = articulated_mul(at->I, S);
    real          D = sv_dot(S, U);
    if (t->tree->armature[v] != 0) D = r_add(D, r_const(t->tree->armature[v]));
    j->inverse_inertia = r_div(r_const(1), D);
    j->W               = sv_scale(j->inverse_inertia, U);
    j->force           = r_sub(r, sv_dot(S, at->p));
    if (has_unit_axis(t, b->link)) {
        if (b->link->motion == CD_REVOLUTE)
            j->W.a.z = r_const(0);
        else
            j->W.l.z = r_const(0);
    }
    at->I = articulated_sub_outer(at->I, U, j->W);
    at->p = sv_add_scaled(at->p, j->force, j->W);
    if (has_unit_axis(t, b->link)) clear_free_axis(b->link, &at->I, j, &at->p, r);
}

static void inward(const tracing* t, int i, const real* r, articulated_body* all, joint_elimination* joints)
{
    const traced_link*  b    = &t->link[i];
    const cd_tree_link* link = b->link;
    articulated_body*   at   = &all[i];
    at->I                    = articulated_add(articulated_inertia_of(b), at->I);
    for (int k = link->nv - 1; k >= 0; --k) {
        const int v = link->v + k;
        eliminate(t, b, k, link->is_flipped ? r_neg(r[v]) : r[v], at, &joints[v]);
    }
    if (link->parent < 0) return;
    articulated_body*         up = &all[link->parent];
    const articulated_inertia I  = {symmetric_to_parent(b, at->I.A), matrix_to_parent(b, at->I.H),
                                    symmetric_to_parent(b, at->I.M)};
    const vec3                f  = vector_to_parent(b, at->p.l);
    up->I                        = articulated_add(up->I, articulated_shift(b->p, I));
    up->p                        = sv_add(up->p, (spatial){v3_add(vector_to_parent(b, at->p.a), v3_cross(b->p, f)), f});
}

static void outward(const tracing* t, int i, articulated_body* all, const joint_elimination* joints, real* a)
{
    const traced_link*  b    = &t->link[i];
    const cd_tree_link* link = b->link;
    spatial             A    = sv_zero();
    if (link->parent >= 0) {
        const spatial P = all[link->parent].A;
        A = (spatial){vector_from_parent(b, P.a), vector_from_parent(b, v3_add(P.l, v3_cross(P.a, b->p)))};
    }
    for (int k = 0; k < link->nv; ++k) {
        const joint_elimination* j = &joints[link->v + k];
        real                     x;
        if (has_unit_axis(t, link)) {
            const bool is_rotation = link->motion == CD_REVOLUTE;
            real*      z           = is_rotation ? &A.a.z : &A.l.z;
            const real old         = *z;
            *z                     = r_const(0);
            *z                     = r_sub(r_mul(j->force, j->inverse_inertia), sv_dot(j->W, A));
            x                      = r_sub(*z, old);
        } else {
            x = r_sub(r_mul(j->force, j->inverse_inertia), sv_dot(j->W, A));
            A = sv_add_scaled(A, x, b->S[k]);
        }
        a[link->v + k] = link->is_flipped ? r_neg(x) : x;
    }
    all[i].A = A;
}

cardan_status cd_traced_articulated_solve(const tracing* t, const real* r, real* a)
{
    const cd_link_tree* tree      = t->tree;
    articulated_body*   all       = cd_allocate((size_t)tree->nlink + 1, sizeof *all);
    joint_elimination*  joints    = cd_allocate((size_t)tree->nv + 1, sizeof *joints);
    const bool          allocated = all && joints;
    for (int k = 0; allocated && k < 2 * tree->nlink; ++k)
        if (t->euler_tour[k] >= 0)
            all[t->euler_tour[k]] =
                (articulated_body){{symmetric_zero(), matrix_zero(), symmetric_zero()}, sv_zero(), sv_zero()};
        else
            inward(t, ~t->euler_tour[k], r, all, joints);
    for (int k = 0; allocated && k < 2 * tree->nlink; ++k)
        if (t->euler_tour[k] >= 0) outward(t, t->euler_tour[k], all, joints, a);
    free(all);
    free(joints);
    return allocated ? CARDAN_OK : CARDAN_NO_MEMORY;
}
