// SPDX-License-Identifier: BSD-3-Clause
// Solve with the factor of N'M N:
//
//   J_D c = gamma                     by dependent block; c is zero elsewhere
//   N'M N z = N'(r - M c)
//   a = N z + c
//   J_D' lambda = (r - M a)_D         only if multipliers are requested
#include "formulation/embedding/embedding.h"

// Compute c of all dependent blocks; E->scratch_flag marks nonzero entries.
static void solve_constant(cd_embedding_work* E, const real* gamma)
{
    for (int x = 0; x < E->ncoordinate; ++x) E->scratch_flag[x] = 0;
    for (int i = 0; i < E->ndependent_block; ++i) {
        const cd_dependent_block* p = &E->dependent_block[i];
        for (int j = 0; j < p->n; ++j) E->x[j] = gamma[E->pivot_row[p->first_dependent + j]];
        cd_dependent_block_solve(E, p, E->x, E->W);
        for (int j = 0; j < p->n; ++j) {
            const int x        = E->dependent[p->first_dependent + j];
            E->c[x]            = E->W[j];
            E->scratch_flag[x] = !r_is_zero(E->W[j]);
        }
    }
}

// x = r - M c.
static void subtract_constant(const cardan_model* m, const cd_rows* rows, cd_embedding_work* E, const real* r)
{
    for (int x = 0; x < E->ncoordinate; ++x) E->x[x] = x < m->nv ? r[x] : r_const(0);
    for (int w = 0; w < E->ncoordinate && E->ndependent_block > 0; ++w) {
        const int length = cd_embedding_row_length(m, w), on = E->scratch_flag[w];
        for (int s = 0; s < length; ++s) {
            const int u = cd_embedding_column(m, E, w, s);
            if (on && E->order[u] >= 0) E->x[u] = r_sub(E->x[u], r_mul(cd_embedding_entry(m, rows, E, w, s), E->c[w]));
            if (s > 0 && E->scratch_flag[u] && E->order[w] >= 0)
                E->x[w] = r_sub(E->x[w], r_mul(cd_embedding_entry(m, rows, E, w, s), E->c[u]));
        }
    }
}

// Solve for z, in W, in elimination order.
static void solve_independent(cd_embedding_work* E)
{
    for (int i = 0; i < E->nz; ++i) E->W[i] = E->x[E->z[i]];
    for (int i = 0; i < E->ndependent_block; ++i) {
        const cd_dependent_block* p = &E->dependent_block[i];
        for (int j = 0; j < p->nindependent; ++j) {
            real*       to = &E->W[E->order[E->independent[p->first_independent + j]]];
            const real* G  = E->influence + p->influence_offset + (size_t)(j * p->n);
            for (int k = 0; k < p->n; ++k)
                if (!r_is_zero(G[k])) *to = r_add(*to, r_mul(G[k], E->x[E->dependent[p->first_dependent + k]]));
        }
    }
    for (int i = 0; i < E->nz; ++i)
        for (size_t e = E->z_start[i] + 1; e < E->z_start[i + 1]; ++e)
            E->W[E->z_row[e]] = r_sub(E->W[E->z_row[e]], r_mul(E->z_value[e], E->W[i]));
    for (int i = E->nz - 1; i >= 0; --i) {
        real sum = r_mul_inv(E->W[i], E->z_value[E->z_start[i]]);
        for (size_t e = E->z_start[i] + 1; e < E->z_start[i + 1]; ++e)
            sum = r_sub(sum, r_mul(E->z_value[e], E->W[E->z_row[e]]));
        E->W[i] = sum;
    }
}

// Compute a = N z + c of all coordinates, in c.
static void expand_to_all(cd_embedding_work* E)
{
    for (int i = 0; i < E->nz; ++i) E->c[E->z[i]] = E->W[i];
    for (int i = 0; i < E->ndependent_block; ++i) {
        const cd_dependent_block* p = &E->dependent_block[i];
        for (int j = 0; j < p->nindependent; ++j) {
            const real  z = E->W[E->order[E->independent[p->first_independent + j]]];
            const real* G = E->influence + p->influence_offset + (size_t)(j * p->n);
            for (int k = 0; k < p->n; ++k) {
                real* to = &E->c[E->dependent[p->first_dependent + k]];
                if (!r_is_zero(G[k])) *to = r_add(*to, r_mul(G[k], z));
            }
        }
    }
}

// Compute r - M a in the rows of the dependent coordinates and solve for the multipliers.
static void solve_multipliers(const cardan_model* m, const cd_rows* rows, cd_embedding_work* E, const real* r,
                              real* lambda)
{
    const real* a = E->c;
    for (int x = 0; x < E->ncoordinate; ++x) E->x[x] = x < m->nv ? r[x] : r_const(0);
    for (int w = 0; w < E->ncoordinate; ++w) {
        const int length = cd_embedding_row_length(m, w), on = E->dependent_block_of[w] >= 0;
        for (int s = 0; s < length; ++s) {
            const int  u = cd_embedding_column(m, E, w, s);
            const real M = cd_embedding_entry(m, rows, E, w, s);
            if (on) E->x[w] = r_sub(E->x[w], r_mul(M, a[u]));
            if (s > 0 && E->dependent_block_of[u] >= 0) E->x[u] = r_sub(E->x[u], r_mul(M, a[w]));
        }
    }
    for (int i = 0; i < rows->nrow; ++i) lambda[i] = r_const(0);
    for (int i = 0; i < E->ndependent_block; ++i) {
        const cd_dependent_block* p = &E->dependent_block[i];
        for (int j = 0; j < p->n; ++j) E->W[j] = E->x[E->dependent[p->first_dependent + j]];
        cd_dependent_block_solve_transposed(E, p, E->W, lambda);
    }
}

void cd_embedding_solve(const cardan_model* m, const cd_rows* rows, cd_embedding_work* E, const cd_right_sides* rhs,
                        const cd_solution* x)
{
    solve_constant(E, rhs->gamma);
    subtract_constant(m, rows, E, rhs->r);
    solve_independent(E);
    expand_to_all(E);
    for (int v = 0; v < m->nv; ++v) x->a[v] = E->c[v];
    if (x->lambda) solve_multipliers(m, rows, E, rhs->r, x->lambda);
}
