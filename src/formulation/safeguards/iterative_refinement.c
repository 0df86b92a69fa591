// SPDX-License-Identifier: BSD-3-Clause
// Computes residuals in two sweeps over the tree (iterative_refinement.h).
#include "formulation/safeguards/iterative_refinement.h"

enum { MAX_CORRECTIONS = 3 };

void cd_refinement_layout(const cardan_model* m, const cd_rows* rows, cd_arena* arena, cd_refinement* refinement)
{
    CD_ARENA_ARRAY(arena, refinement->A, m->nlink + 1);
    CD_ARENA_ARRAY(arena, refinement->F, m->nlink + 1);
    CD_ARENA_ARRAY(arena, refinement->residual, m->nv + rows->nrow);
    CD_ARENA_ARRAY(arena, refinement->da, m->nv);
    CD_ARENA_ARRAY(arena, refinement->dlambda, rows->nrow);
    if (refinement->A) *refinement->A++ = sv_zero();
    if (refinement->F) *refinement->F++ = sv_zero();
}

static void compute_row_residual(const cd_kinematics* k, const cd_rows* rows, const cd_refinement* refinement,
                                 const real* gamma, const real* lambda, real* t)
{
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        for (int i = 0; i < b->nrow; ++i) {
            const int row = b->row + i;
            real      sum = gamma[row];
            if (cd_row_compliance(rows, row) > 0) sum = r_add(sum, r_mul(r_const(rows->compliance[row]), lambda[row]));
            for (int n = 0; n < b->nend; ++n) {
                const int link = b->link[n];
                if (link < 0) continue;
                const mat3    R = k->world_pose[link].R;
                const spatial G = b->G[i * b->nend + n], own = {m3_tmul(R, G.a), m3_tmul(R, G.l)};
                sum                 = r_sub(sum, sv_dot(own, refinement->A[link]));
                refinement->F[link] = sv_add_scaled(refinement->F[link], lambda[row], own);
            }
            t[row] = sum;
        }
    }
}

void cd_refinement_compute_residual(const cd_problem* p, const cd_refinement* refinement, const real* gamma,
                                    const real* a, const real* lambda)
{
    const cardan_model*  m = p->m;
    const cd_kinematics* k = p->k;
    for (int i = 0; i < m->nlink; ++i) {
        const cd_link* link = &m->link[i];
        const rigid    I    = {r_const(link->m), v3_const(link->h), s3_const(link->I)};
        refinement->A[i]    = link->parent < 0 ? sv_zero() : sv_motion_to_child(k->X[i], refinement->A[link->parent]);
        for (int v = link->v; v < link->v + link->nv; ++v)
            refinement->A[i] = sv_add_scaled(refinement->A[i], a[v], k->S[v]);
        refinement->F[i] = cd_link_net_wrench(m, k, i, refinement->wrench ? &refinement->wrench[i] : NULL);
        if (!link->is_massless) refinement->F[i] = sv_add(refinement->F[i], rigid_mul(I, refinement->A[i]));
    }
    compute_row_residual(k, p->rows, refinement, gamma, lambda, refinement->residual + m->nv);
    for (int i = m->nlink - 1; i >= 0; --i) {
        const cd_link* link = &m->link[i];
        for (int v = link->v; v < link->v + link->nv; ++v) {
            refinement->residual[v] = r_sub(refinement->effort[v], sv_dot(k->S[v], refinement->F[i]));
            if (m->armature[v] != 0)
                refinement->residual[v] = r_sub(refinement->residual[v], r_mul(r_const(m->armature[v]), a[v]));
        }
        if (link->parent >= 0)
            refinement->F[link->parent] =
                sv_add(refinement->F[link->parent], sv_force_to_parent(k->X[i], refinement->F[i]));
    }
}

void cd_refinement_iterate(const cd_problem* p, const cd_refinement* refinement, cd_factor_solve solve, void* work,
                           const real* gamma, double free_acceleration, const cd_solution* x)
{
    const int nv     = p->m->nv;
    double    before = INFINITY;
    for (int n = 0; n < MAX_CORRECTIONS; ++n) {
        double change = 0, size = free_acceleration;
        cd_refinement_compute_residual(p, refinement, gamma, x->a, x->lambda);
        solve(p, work, refinement->residual, refinement->residual + nv, refinement->da, refinement->dlambda);
        for (int v = 0; v < nv; ++v) {
            change = fmax(change, fabs(r_value(refinement->da[v])));
            size   = fmax(size, fabs(r_value(x->a[v])));
        }
        if (!(change < cd_refinement_gain * fmin(before, size))) return;
        for (int v = 0; v < nv; ++v) x->a[v] = r_add(x->a[v], refinement->da[v]);
        for (int i = 0; i < p->rows->nrow; ++i) x->lambda[i] = r_add(x->lambda[i], refinement->dlambda[i]);
        if (change < cd_refined_correction * size) return;
        before = change;
    }
}
