// SPDX-License-Identifier: BSD-3-Clause
// Iterative refinement with the same factor. In chains of hundreds of cells some directions have the inertia of all of
// them together, and pivots of light directions lose the digits between. With A the accelerations of links, all in
// world axes at their origins, the residuals are
//
//   F = I A - wrench + sum of G'lambda + sum over the children's F
//   s = r - S'F - armature a,   t = gamma - G A + compliance lambda
//
// and M da + J' dlambda = s, J da = t gives the corrections of a and lambda.
#include "formulation/coordinate_reduction/fronts.h"

#include <math.h>

void cd_reduction_refine_layout(const cardan_model* m, const cd_rows* rows, int n, cd_arena* arena,
                                cd_reduction_workspace* w)
{
    CD_ARENA_ARRAY(arena, w->dA, n + 1);
    CD_ARENA_ARRAY(arena, w->F, m->nlink + 1);
    CD_ARENA_ARRAY(arena, w->motion_residual, m->nv);
    CD_ARENA_ARRAY(arena, w->da, m->nv);
    CD_ARENA_ARRAY(arena, w->row_residual, rows->nrow);
    CD_ARENA_ARRAY(arena, w->dlambda, rows->nrow);
    if (w->dA) *w->dA++ = sv_zero();
    if (w->F) *w->F++ = sv_zero();
}

static spatial inertia_times(const cd_link* link, mat3 R, spatial A)
{
    const rigid   I = {r_const(link->m), v3_const(link->h), s3_const(link->I)};
    const spatial F = rigid_mul(I, (spatial){m3_tmul(R, A.a), m3_tmul(R, A.l)});
    return (spatial){m3_mul(R, F.a), m3_mul(R, F.l)};
}

static void compute_row_residual(const cd_rows* rows, cd_reduction_workspace* w, const real* gamma, const real* lambda)
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
            if (cd_row_compliance(rows, b->row + i) > 0)
                sum = r_add(sum, r_mul(r_const(rows->compliance[b->row + i]), l));
            w->row_residual[b->row + i] = w->redundant[b->row + i] ? r_const(0) : sum;
        }
    }
}

// Compute s = r - S'F of every joint; F is accumulated inward.
static void compute_joint_residual(const cardan_model* m, cd_reduction_workspace* w, const real* r)
{
    for (int i = m->nlink - 1; i >= 0; --i) {
        const cd_link* link = &m->link[i];
        const spatial  F    = w->F[i];
        const spatial  own  = {m3_tmul(w->pose[i].R, F.a), m3_tmul(w->pose[i].R, F.l)};
        for (int v = link->v; v < link->v + link->nv; ++v) w->motion_residual[v] = r_sub(r[v], sv_dot(w->k->S[v], own));
        if (link->parent < 0) continue;
        const vec3 moment  = v3_cross(v3_sub(w->pose[i].p, w->pose[link->parent].p), F.l);
        w->F[link->parent] = sv_add(w->F[link->parent], (spatial){v3_add(F.a, moment), F.l});
    }
}

static void compute_residual(const cd_problem* p, cd_reduction_workspace* w, const cd_right_sides* rhs,
                             const cd_solution* x)
{
    const cardan_model* m = p->m;
    for (int i = 0; i < m->nlink; ++i) {
        w->F[i] = m->link[i].is_massless ? sv_zero() : inertia_times(&m->link[i], w->pose[i].R, w->A[i]);
        if (w->has_link_wrenches) w->F[i] = sv_add_scaled(w->F[i], r_const(-1), cd_reduction_link_wrench(w, i));
    }
    compute_row_residual(p->rows, w, rhs->gamma, x->lambda);
    compute_joint_residual(m, w, w->has_link_wrenches ? w->effort : rhs->r);
    for (int v = 0; v < m->nv; ++v)
        if (m->armature[v] != 0)
            w->motion_residual[v] = r_sub(w->motion_residual[v], r_mul(r_const(m->armature[v]), x->a[v]));
}

const real* cd_reduction_sum_link_wrenches(const cardan_model* m, cd_reduction_workspace* w)
{
    for (int i = 0; i < m->nlink; ++i) w->F[i] = sv_scale(r_const(-1), cd_reduction_link_wrench(w, i));
    compute_joint_residual(m, w, w->effort);
    return w->motion_residual;
}

static double largest_scaled(const cardan_model* m, const cd_reduction_workspace* w, const real* x)
{
    double most = 0;
    for (int v = 0; v < m->nv; ++v) most = fmax(most, fabs(r_value(x[v])) * w->scale[v]);
    return most;
}

double cd_reduction_refine(const cd_problem* p, cd_reduction_workspace* w, const cd_right_sides* rhs,
                           const cd_solution* x)
{
    const cardan_model* m                 = p->m;
    spatial* const      A                 = w->A;
    const bool          has_link_wrenches = w->has_link_wrenches;
    compute_residual(p, w, rhs, x);
    w->A                 = w->dA;
    w->has_link_wrenches = false;
    cd_reduction_solve(m, p->rows, w, w->motion_residual, w->row_residual, w->da, w->dlambda);
    w->A                 = A;
    w->has_link_wrenches = has_link_wrenches;
    const double change = largest_scaled(m, w, w->da), size = largest_scaled(m, w, x->a);
    if (!(change < size)) return change > 0 ? INFINITY : 0;
    for (int v = 0; v < m->nv; ++v) x->a[v] = r_add(x->a[v], w->da[v]);
    for (int i = 0; i < p->rows->nrow; ++i) x->lambda[i] = r_add(x->lambda[i], w->dlambda[i]);
    for (int i = 0; i < m->nlink; ++i) A[i] = sv_add(A[i], w->dA[i]);
    return change / size;
}
