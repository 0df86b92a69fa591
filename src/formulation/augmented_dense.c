// SPDX-License-Identifier: BSD-3-Clause
// The steps of `augmented-last` on dense matrices, with no regard to the tree: what sparsity gains is seen beside it.
//
//   1  M = L D L'   2  L z = r
//   3.1  L T = J'   3.2  n = T' D^-1 z - gamma   3.3  N = T' D^-1 T   3.4  N lambda = n   3.5  y = T lambda
//   4  D L' a = z - y
//
// Paper 002, section 6, Alg-D. docs/theory/augmented.md.
#include "formulation/cuts.h"
#include "formulation/formulation.h"
#include "formulation/loan.h"
#include "formulation/row_check.h"
#include "formulation/skyline.h"
#include "formulation/tree_mass.h"

static const double null_pivot = 1e-10, null_motion = 1e-13;

typedef struct dense_work {
    cd_tree_matrix  tree;   // M, before it is spread out
    cd_skyline      M, N;   // both full
    real*           T;      // (nrow x nv)
    real*           scaled; // (nrow x nv) T D^-1
    real *          z, *y;  // (nv)
    const cd_where* where;  // who watches a solve
    cd_remainder    rest;
    cd_loan         loan;
} dense_work;

static double appetite(const cardan_model* m, const cd_rows* rows)
{
    const double nv = m->nv, nrow = rows->nrow;
    return cd_tree_mass_entries(m) + nv * nv + nrow * nrow + 2 * nv * nrow;
}

static void lay_full(int n, cd_arena* arena, cd_skyline* S)
{
    S->n = n;
    CD_TAKE(arena, S->first, n);
    CD_TAKE(arena, S->row, n);
    if (S->first && S->row)
        for (int i = 0; i < n; ++i) {
            S->first[i] = 0;
            S->row[i]   = (size_t)i * (size_t)(i + 1) / 2;
        }
    S->nentry = (size_t)n * (size_t)(n + 1) / 2;
    cd_skyline_layout(S, arena);
}

static void layout(const cardan_model* m, const cd_rows* rows, cd_arena* arena, void* work)
{
    dense_work* w = work;
    cd_tree_mass_layout(m, arena, &w->tree);
    lay_full(m->nv, arena, &w->M);
    lay_full(rows->nrow, arena, &w->N);
    CD_TAKE(arena, w->T, (size_t)m->nv * (size_t)rows->nrow);
    CD_TAKE(arena, w->scaled, (size_t)m->nv * (size_t)rows->nrow);
    CD_TAKE(arena, w->z, m->nv);
    CD_TAKE(arena, w->y, m->nv);
    cd_remainder_layout(m, rows, arena, &w->rest);
    cd_loan_layout(m, rows, arena, &w->loan);
}

static cardan_status assemble(const cardan_model* m, cd_kinematics* k, const cd_rows* rows, void* work)
{
    dense_work* w = work;
    cd_reference_poses(m, k);
    cd_tree_mass(m, k, &w->tree);
    cd_skyline_clear(&w->M);
    for (int v = 0; v < m->nv; ++v)
        for (int s = w->tree.start[v]; s < w->tree.start[v] + m->v_depth[v]; ++s) {
            const int u                                         = w->tree.column[s];
            *cd_skyline_at(&w->M, u > v ? u : v, u > v ? v : u) = w->tree.entry[s];
        }
    for (int i = 0; i < m->nv * rows->nrow; ++i) w->T[i] = r_lift(0);
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        for (int i = 0; i < b->nrow; ++i)
            for (int j = 0; j < b->nv; ++j) w->T[(b->row + i) * m->nv + b->v[j]] = b->J[i * b->nv + j];
    }
    return CARDAN_OK;
}

// With what is lent. The velocity whose pivot is no resistance, or CARDAN_NONE.
static int factor_mass(const cardan_model* m, dense_work* w)
{
    for (int v = 0; v < m->nv; ++v)
        if (w->loan.lent[v] > 0)
            *cd_skyline_at(&w->M, v, v) = r_add(*cd_skyline_at(&w->M, v, v), r_lift(w->loan.lent[v]));
    const int bad = cd_skyline_factor(&w->M, null_motion);
    if (bad >= 0) return bad;
    for (int v = 0; v < m->nv; ++v) {
        const double inverse = r_value(*cd_skyline_at(&w->M, v, v));
        if (inverse == 0 || inverse * fmax(null_motion * m->resistance[v], m->lost[v]) >= 1) return v;
    }
    return CARDAN_NONE;
}

static real dot(int n, const real* x, const real* y)
{
    real sum = r_lift(0);
    for (int i = 0; i < n; ++i) sum = r_add(sum, r_mul(x[i], y[i]));
    return sum;
}

static void solve_once(const cardan_model* m, const cd_kinematics* k, const cd_rows* rows, void* work, const real* r,
                       const real* gamma, real* a, real* lambda)
{
    (void)k;
    dense_work*           w     = work;
    const cd_where* const where = w->where;
    const int             nv    = m->nv;
    for (int v = 0; v < nv; ++v) w->z[v] = r[v];
    cd_skyline_down(&w->M, w->z);
    cd_step_done(where, "2");
    for (int i = 0; i < rows->nrow; ++i) lambda[i] = r_sub(dot(nv, w->scaled + i * nv, w->z), gamma[i]);
    cd_step_done(where, "3.2");
    cd_skyline_solve(&w->N, lambda);
    cd_step_done(where, "3.4");
    for (int v = 0; v < nv; ++v) w->y[v] = r_lift(0);
    for (int i = 0; i < rows->nrow; ++i)
        for (int v = 0; v < nv; ++v) w->y[v] = r_add(w->y[v], r_mul(w->T[i * nv + v], lambda[i]));
    cd_step_done(where, "3.5");
    for (int v = 0; v < nv; ++v) a[v] = r_over(r_sub(w->z[v], w->y[v]), *cd_skyline_at(&w->M, v, v));
    cd_skyline_up(&w->M, a);
    cd_step_done(where, "4");
}

static cardan_status factor(const cardan_model* m, cd_kinematics* k, const cd_rows* rows, void* work, cd_where* where)
{
    dense_work* w  = work;
    const int   nv = m->nv;
    w->where       = where;
    where->v       = factor_mass(m, w);
    while (cd_loan_take(m, rows, &w->loan, where->v)) {
        assemble(m, k, rows, w);
        where->v = factor_mass(m, w);
    }
    if (where->v != CARDAN_NONE) return CARDAN_SINGULAR;
    cd_step_done(where, "1");
    for (int i = 0; i < rows->nrow; ++i) {
        cd_skyline_down(&w->M, w->T + i * nv);
        for (int v = 0; v < nv; ++v) w->scaled[i * nv + v] = r_over(w->T[i * nv + v], *cd_skyline_at(&w->M, v, v));
    }
    cd_step_done(where, "3.1");
    for (int i = 0; i < rows->nrow; ++i) {
        for (int j = 0; j <= i; ++j) *cd_skyline_at(&w->N, i, j) = dot(nv, w->T + i * nv, w->scaled + j * nv);
        if (rows->compliance)
            *cd_skyline_at(&w->N, i, i) = r_add(*cd_skyline_at(&w->N, i, i), r_lift(rows->compliance[i]));
    }
    cd_step_done(where, "3.3");
    const int bad = cd_cuts_eliminate(rows, &w->N, null_pivot);
    cd_step_done(where, "3.4");
    where->row = bad < 0 ? CARDAN_NONE : bad;
    where->v   = bad < 0 ? cd_loan_undetermined(m, k, rows, &w->loan, solve_once, w, w->loan.before) : CARDAN_NONE;
    return bad < 0 && where->v == CARDAN_NONE ? CARDAN_OK : CARDAN_SINGULAR;
}

static void solve_lent(const cardan_model* m, const cd_kinematics* k, const cd_rows* rows, void* work, const real* r,
                       const real* gamma, real* a, real* lambda)
{
    dense_work* w = work;
    cd_loan_solve(m, k, rows, &w->loan, solve_once, w, r, gamma, a, lambda);
}

static cardan_status solve(const cardan_model* m, cd_kinematics* k, const cd_rows* rows, void* work, const real* r,
                           const real* gamma, real* a, real* lambda, cd_where* where)
{
    dense_work*  w    = work;
    const double free = cd_free_acceleration(m, r);
    w->where          = where;
    solve_lent(m, k, rows, w, r, gamma, a, lambda);
    if (cd_remainder_known(m, &w->rest, k) &&
        (w->loan.any || w->N.weakest < cd_remainder_weak || !cd_rows_hold(rows, a, gamma, free)))
        cd_remainder_refine(m, k, rows, &w->rest, solve_lent, w, gamma, free, a, lambda);
    w->rest.effort = NULL;
    return cd_check_rows(rows, a, gamma, free, cd_skyline_largest(&w->N, lambda), where);
}

static void split(const cardan_model* m, const cd_kinematics* k, void* work, const real* effort, const spatial* wrench)
{
    (void)m, (void)k;
    cd_remainder_split(&((dense_work*)work)->rest, effort, wrench);
}

static cd_strength strength(const cardan_model* m, const cd_rows* rows, const void* work)
{
    (void)m, (void)rows;
    const dense_work* w = work;
    return (cd_strength){.least = w->N.weakest, .row = w->N.weakest_row, .null = w->N.null};
}

const cd_formulation cd_augmented_dense = {
    .name      = "augmented-dense",
    .summary   = "the same steps on dense matrices, with no regard to the tree",
    .reference = "Negrut, Serban, Potra 1997, section 6 (Alg-D)",
    .supports  = CD_TREE | CD_LOOPS | CD_REDUNDANT | CD_WAYS | CD_BASELINE | CD_CUBIC,
    .tree      = CARDAN_TREE_SHALLOW,
    .work_size = sizeof(dense_work),
    .appetite  = appetite,
    .layout    = layout,
    .assemble  = assemble,
    .factor    = factor,
    .solve     = solve,
    .split     = split,
    .strength  = strength,
};
