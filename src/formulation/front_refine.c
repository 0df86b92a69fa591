// SPDX-License-Identifier: BSD-3-Clause
// What the equations leave, and corrections by the same factor. Where hundreds of cells hang from each other some
// directions are as heavy as all of them together, and pivots of light ones lose the digits between. With A the
// accelerations of links, all in world axes at their origins,
//
//   F = I A - load + sum of G'lambda + what the children pass on,   s = r - S'F - armature a,   t = gamma - G A + compliance lambda
//
// and M da + J'dl = s, J da = t gives what a and lambda lack.
#include "formulation/front.h"

#include <math.h>

void cd_refine_layout(const cardan_model* m, const cd_rows* rows, int n, cd_arena* arena, cd_reducing* w)
{
    CD_TAKE(arena, w->A0, n + 1);
    CD_TAKE(arena, w->F, m->nlink + 1);
    CD_TAKE(arena, w->s, m->nv);
    CD_TAKE(arena, w->da, m->nv);
    CD_TAKE(arena, w->t, rows->nrow);
    CD_TAKE(arena, w->dl, rows->nrow);
    if (w->A0) *w->A0++ = sv_zero();
    if (w->F) *w->F++ = sv_zero();
}

static spatial inertia_times(const cd_link* link, mat3 R, spatial A)
{
    const rigid   I = {r_lift(link->m), v3_lift(link->h), s3_lift(link->I)};
    const spatial F = rigid_mul(I, (spatial){m3_tmul(R, A.a), m3_tmul(R, A.l)});
    return (spatial){m3_mul(R, F.a), m3_mul(R, F.l)};
}

static void leave_rows(const cd_rows* rows, cd_reducing* w, const real* gamma, const real* lambda)
{
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        for (int i = 0; i < b->nrow; ++i) {
            const real l   = lambda[b->row + i];
            real       sum = gamma[b->row + i];
            for (int n = 0; n < b->nend; ++n) {
                const int     link = b->link[n];
                const spatial G    = b->G[i * b->nend + n];
                if (link < 0) continue;
                sum        = r_sub(sum, sv_dot(G, w->A[link]));
                w->F[link] = sv_add_scaled(w->F[link], l, G);
            }
            if (cd_compliance(rows, b->row + i) > 0) sum = r_add(sum, r_mul(r_lift(rows->compliance[b->row + i]), l));
            w->t[b->row + i] = w->idle[b->row + i] ? r_lift(0) : sum;
        }
    }
}

// s = r - S'F of every joint, F being summed up on the way inward.
static void leave_joints(const cardan_model* m, cd_reducing* w, const real* r)
{
    for (int i = m->nlink - 1; i >= 0; --i) {
        const cd_link* link = &m->link[i];
        const spatial  F    = w->F[i];
        const spatial  own  = {m3_tmul(w->pose[i].R, F.a), m3_tmul(w->pose[i].R, F.l)};
        for (int v = link->v; v < link->v + link->nv; ++v) w->s[v] = r_sub(r[v], sv_dot(w->k->S[v], own));
        if (link->parent < 0) continue;
        const vec3 moment  = v3_cross(v3_sub(w->pose[i].p, w->pose[link->parent].p), F.l);
        w->F[link->parent] = sv_add(w->F[link->parent], (spatial){v3_add(F.a, moment), F.l});
    }
}

static void leave(const cardan_model* m, const cd_rows* rows, cd_reducing* w, const real* r, const real* gamma,
                  const real* a, const real* lambda)
{
    for (int i = 0; i < m->nlink; ++i) {
        w->F[i] = m->link[i].bare ? sv_zero() : inertia_times(&m->link[i], w->pose[i].R, w->A[i]);
        if (w->split) w->F[i] = sv_add_scaled(w->F[i], r_lift(-1), cd_reduction_load(w, i));
    }
    leave_rows(rows, w, gamma, lambda);
    leave_joints(m, w, r);
    for (int v = 0; v < m->nv; ++v)
        if (m->armature[v] != 0) w->s[v] = r_sub(w->s[v], r_mul(r_lift(m->armature[v]), a[v]));
}

const real* cd_reduction_sum_loads(const cardan_model* m, cd_reducing* w)
{
    for (int i = 0; i < m->nlink; ++i) w->F[i] = sv_scale(r_lift(-1), cd_reduction_load(w, i));
    leave_joints(m, w, w->effort);
    return w->s;
}

static double largest(const cardan_model* m, const cd_reducing* w, const real* x)
{
    double most = 0;
    for (int v = 0; v < m->nv; ++v) most = fmax(most, fabs(r_value(x[v])) * w->scale[v]);
    return most;
}

double cd_reduction_refine(const cardan_model* m, const cd_rows* rows, cd_reducing* w, const real* r, const real* gamma,
                           real* a, real* lambda)
{
    spatial* const A     = w->A;
    const bool     split = w->split;
    leave(m, rows, w, split ? w->effort : r, gamma, a, lambda);
    w->A     = w->A0;
    w->split = false;
    cd_reduction_solve(m, rows, w, w->s, w->t, w->da, w->dl);
    w->A                = A;
    w->split            = split;
    const double change = largest(m, w, w->da), size = largest(m, w, a);
    if (!(change < size)) return change > 0 ? INFINITY : 0;
    for (int v = 0; v < m->nv; ++v) a[v] = r_add(a[v], w->da[v]);
    for (int i = 0; i < rows->nrow; ++i) lambda[i] = r_add(lambda[i], w->dl[i]);
    for (int i = 0; i < m->nlink; ++i) A[i] = sv_add(A[i], w->A0[i]);
    return change / size;
}
