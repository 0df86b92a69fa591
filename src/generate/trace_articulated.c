// SPDX-License-Identifier: BSD-3-Clause
// M a = r by articulated bodies over traced numbers: the sweeps of formulation/articulated.c, with what a hinge or
// slide makes exactly zero or one written as such.
//
//   inward    U = IA S,  D = S'U + armature,  W = U / D,   Ia = IA - U W',   u = r - S'p,   p + W u    to the parent
//   outward   a = u / D - W'A,   A + S a
//
// Along a hinge about z without rotor W_z = 1: row and column z of Ia vanish, and the moment about z that arrives is r.
#include "generate/traced.h"

#include <stdlib.h>

typedef struct joint {
    spatial W;
    real    u, inverse;
} joint;

typedef struct body {
    joined  I;
    spatial p, A;
} body;

static bool is_plain(const tracing* t, const cd_bone* b) { return b->motion <= CD_SLIDE && t->s->armature[b->v] == 0; }

static joined joined_of(const traced_bone* b)
{
    const sym3    J  = bone_J(b);
    const double* c  = b->bone->J;
    const real    zz = cd_bone_number(b, &c[2]);
    const sym3    I  = {r_add(J.yy, zz), r_add(J.xx, zz), r_add(cd_bone_number(b, &c[0]), cd_bone_number(b, &c[1])),
                        r_neg(J.xy),     r_neg(J.xz),     r_neg(J.yz)};
    return joined_rigid((rigid){cd_bone_number(b, &b->bone->m), bone_h(b), I});
}

// What is left when z moves freely.
static void clear_axis(const cd_bone* b, joined* I, joint* j, spatial* p, real r)
{
    const real zero = r_lift(0), one = r_lift(1);
    if (b->motion == CD_HINGE) {
        I->A.xz = I->A.yz = I->A.zz = I->H.zx = I->H.zy = I->H.zz = zero;
        j->W.a.z                                                  = one;
        p->a.z                                                    = r;
    } else {
        I->M.xz = I->M.yz = I->M.zz = I->H.xz = I->H.yz = I->H.zz = zero;
        j->W.l.z                                                  = one;
        p->l.z                                                    = r;
    }
}

static void eliminate(const tracing* t, const traced_bone* b, int k, real r, body* at, joint* j)
{
    const int     v = b->bone->v + k;
    const spatial S = b->S[k], U = joined_mul(at->I, S);
    real          D = sv_dot(S, U);
    if (t->s->armature[v] != 0) D = r_add(D, r_lift(t->s->armature[v]));
    j->inverse = r_div(r_lift(1), D);
    j->W       = sv_scale(j->inverse, U);
    j->u       = r_sub(r, sv_dot(S, at->p));
    if (is_plain(t, b->bone)) {
        if (b->bone->motion == CD_HINGE)
            j->W.a.z = r_lift(0);
        else
            j->W.l.z = r_lift(0);
    }
    at->I = joined_sub_outer(at->I, U, j->W);
    at->p = sv_add_scaled(at->p, j->u, j->W);
    if (is_plain(t, b->bone)) clear_axis(b->bone, &at->I, j, &at->p, r);
}

static void inward(const tracing* t, int i, const real* r, body* all, joint* joints)
{
    const traced_bone* b    = &t->bone[i];
    const cd_bone*     bone = b->bone;
    body*              at   = &all[i];
    at->I                   = joined_add(joined_of(b), at->I);
    for (int k = bone->nv - 1; k >= 0; --k) {
        const int v = bone->v + k;
        eliminate(t, b, k, bone->flipped ? r_neg(r[v]) : r[v], at, &joints[v]);
    }
    if (bone->parent < 0) return;
    body*        up = &all[bone->parent];
    const joined I  = {symmetric_out(b, at->I.A), matrix_out(b, at->I.H), symmetric_out(b, at->I.M)};
    const vec3   f  = vector_out(b, at->p.l);
    up->I           = joined_add(up->I, joined_shift(b->p, I));
    up->p           = sv_add(up->p, (spatial){v3_add(vector_out(b, at->p.a), v3_cross(b->p, f)), f});
}

static void outward(const tracing* t, int i, body* all, const joint* joints, real* a)
{
    const traced_bone* b    = &t->bone[i];
    const cd_bone*     bone = b->bone;
    spatial            A    = sv_zero();
    if (bone->parent >= 0) {
        const spatial P = all[bone->parent].A;
        A               = (spatial){vector_in(b, P.a), vector_in(b, v3_add(P.l, v3_cross(P.a, b->p)))};
    }
    for (int k = 0; k < bone->nv; ++k) {
        const joint* j = &joints[bone->v + k];
        real         x;
        if (is_plain(t, bone)) {
            const bool turns = bone->motion == CD_HINGE;
            real*      z     = turns ? &A.a.z : &A.l.z;
            const real old   = *z;
            *z               = r_lift(0);
            *z               = r_sub(r_mul(j->u, j->inverse), sv_dot(j->W, A));
            x                = r_sub(*z, old);
        } else {
            x = r_sub(r_mul(j->u, j->inverse), sv_dot(j->W, A));
            A = sv_add_scaled(A, x, b->S[k]);
        }
        a[bone->v + k] = bone->flipped ? r_neg(x) : x;
    }
    all[i].A = A;
}

cardan_status cd_traced_articulated(const tracing* t, const real* r, real* a)
{
    const cd_skeleton* s      = t->s;
    body*              all    = cd_allocate((size_t)s->nbone + 1, sizeof *all);
    joint*             joints = cd_allocate((size_t)s->nv + 1, sizeof *joints);
    const bool         room   = all && joints;
    for (int k = 0; room && k < 2 * s->nbone; ++k)
        if (t->step[k] >= 0)
            all[t->step[k]] = (body){{symmetric_zero(), matrix_zero(), symmetric_zero()}, sv_zero(), sv_zero()};
        else
            inward(t, ~t->step[k], r, all, joints);
    for (int k = 0; room && k < 2 * s->nbone; ++k)
        if (t->step[k] >= 0) outward(t, t->step[k], all, joints, a);
    free(all);
    free(joints);
    return room ? CARDAN_OK : CARDAN_NO_MEMORY;
}
