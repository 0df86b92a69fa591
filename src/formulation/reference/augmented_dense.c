// SPDX-License-Identifier: BSD-3-Clause
// The stages of `augmented-last` on dense matrices, without use of the tree: the comparison shows the gain by sparsity.
//
//   1  M = L D L'   2  L z = r
//   3.1  L T = J'   3.2  n = T' D^-1 z - gamma   3.3  N = T' D^-1 T   3.4  N lambda = n   3.5  y = T lambda
//   4  D L' a = z - y
//
// Paper 002, section 6, Alg-D. docs/theory/augmented.md.
#include "formulation/formulation_tolerances.h"
#include "formulation/augmented/cut_forces.h"
#include "formulation/formulation.h"
#include "formulation/safeguards/proximal_inertia.h"
#include "formulation/safeguards/consistency_check.h"
#include "math/block_ldl/skyline_ldl.h"
#include "formulation/tree/tree_mass.h"

typedef struct augmented_dense_work {
    cd_tree_matrix       tree;     // M, before it is copied to the dense matrix
    cd_skyline           M, N;     // both full
    real*                T;        // (nrow x nv)
    real*                T_over_D; // (nrow x nv) T D^-1
    real *               z, *y;    // (nv)
    const cd_solve_info* info;     // receives the reports of stages
    cd_refinement        refinement;
    cd_proximal          proximal;
} augmented_dense_work;

static double memory_estimate(const cardan_model* m, const cd_rows* rows)
{
    const double nv = m->nv, nrow = rows->nrow;
    return cd_tree_mass_entries(m) + nv * nv + nrow * nrow + 2 * nv * nrow;
}

static void layout_full_skyline(int n, cd_arena* arena, cd_skyline* S)
{
    S->n = n;
    CD_ARENA_ARRAY(arena, S->first_column, n);
    CD_ARENA_ARRAY(arena, S->row_offset, n);
    if (S->first_column && S->row_offset)
        for (int i = 0; i < n; ++i) {
            S->first_column[i] = 0;
            S->row_offset[i]   = (size_t)i * (size_t)(i + 1) / 2;
        }
    S->nentry = (size_t)n * (size_t)(n + 1) / 2;
    cd_skyline_layout(S, arena);
}

static void layout(const cardan_model* m, const cd_rows* rows, cd_arena* arena, void* work)
{
    augmented_dense_work* w = work;
    cd_tree_mass_layout(m, arena, &w->tree);
    layout_full_skyline(m->nv, arena, &w->M);
    layout_full_skyline(rows->nrow, arena, &w->N);
    CD_ARENA_ARRAY(arena, w->T, (size_t)m->nv * (size_t)rows->nrow);
    CD_ARENA_ARRAY(arena, w->T_over_D, (size_t)m->nv * (size_t)rows->nrow);
    CD_ARENA_ARRAY(arena, w->z, m->nv);
    CD_ARENA_ARRAY(arena, w->y, m->nv);
    cd_refinement_layout(m, rows, arena, &w->refinement);
    cd_proximal_layout(m, rows, arena, &w->proximal);
}

static void assemble(const cd_problem* p, void* work)
{
    const cardan_model*   m    = p->m;
    const cd_rows*        rows = p->rows;
    augmented_dense_work* w    = work;
    cd_root_frame_poses(m, p->k);
    cd_tree_mass(m, p->k, &w->tree);
    cd_skyline_clear(&w->M);
    for (int v = 0; v < m->nv; ++v)
        for (int s = w->tree.start[v]; s < w->tree.start[v] + m->v_depth[v]; ++s) {
            const int u                                         = w->tree.column[s];
            *cd_skyline_at(&w->M, u > v ? u : v, u > v ? v : u) = w->tree.entry[s];
        }
    for (int i = 0; i < m->nv * rows->nrow; ++i) w->T[i] = r_const(0);
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        for (int i = 0; i < b->nrow; ++i)
            for (int j = 0; j < b->nv; ++j) w->T[(b->row + i) * m->nv + b->v[j]] = b->J[i * b->nv + j];
    }
}

// Factor M with proximal inertia. Returns the velocity whose pivot is round-off, or CARDAN_NONE.
static int factor_mass(const cardan_model* m, augmented_dense_work* w)
{
    for (int v = 0; v < m->nv; ++v)
        if (w->proximal.added_inertia[v] > 0)
            *cd_skyline_at(&w->M, v, v) = r_add(*cd_skyline_at(&w->M, v, v), r_const(w->proximal.added_inertia[v]));
    const int bad = cd_skyline_factor(&w->M, cd_massless_pivot);
    if (bad >= 0) return bad;
    for (int v = 0; v < m->nv; ++v) {
        const double inverse = r_value(*cd_skyline_at(&w->M, v, v));
        if (inverse == 0 || inverse * fmax(cd_massless_pivot * m->inertia_scale[v], m->inertia_roundoff[v]) >= 1)
            return v;
    }
    return CARDAN_NONE;
}

static real dot(int n, const real* x, const real* y)
{
    real sum = r_const(0);
    for (int i = 0; i < n; ++i) sum = r_add(sum, r_mul(x[i], y[i]));
    return sum;
}

static void solve_with_factor(const cd_problem* p, void* work, const real* r, const real* gamma, real* a, real* lambda)
{
    const cardan_model*        m    = p->m;
    const cd_rows*             rows = p->rows;
    augmented_dense_work*      w    = work;
    const cd_solve_info* const info = w->info;
    const int                  nv   = m->nv;
    for (int v = 0; v < nv; ++v) w->z[v] = r[v];
    cd_skyline_forward(&w->M, w->z);
    cd_report_stage_done(info, "2");
    for (int i = 0; i < rows->nrow; ++i) lambda[i] = r_sub(dot(nv, w->T_over_D + i * nv, w->z), gamma[i]);
    cd_report_stage_done(info, "3.2");
    cd_skyline_solve(&w->N, lambda);
    cd_report_stage_done(info, "3.4");
    for (int v = 0; v < nv; ++v) w->y[v] = r_const(0);
    for (int i = 0; i < rows->nrow; ++i)
        for (int v = 0; v < nv; ++v) w->y[v] = r_add(w->y[v], r_mul(w->T[i * nv + v], lambda[i]));
    cd_report_stage_done(info, "3.5");
    for (int v = 0; v < nv; ++v) a[v] = r_mul_inv(r_sub(w->z[v], w->y[v]), *cd_skyline_at(&w->M, v, v));
    cd_skyline_backward(&w->M, a);
    cd_report_stage_done(info, "4");
}

static cardan_status factor(const cd_problem* p, void* work, cd_solve_info* info)
{
    const cardan_model*   m    = p->m;
    const cd_rows*        rows = p->rows;
    augmented_dense_work* w    = work;
    const int             nv   = m->nv;
    w->info                    = info;
    info->failed_velocity      = factor_mass(m, w);
    while (cd_proximal_add(m, rows, &w->proximal, info->failed_velocity)) {
        assemble(p, w);
        info->failed_velocity = factor_mass(m, w);
    }
    if (info->failed_velocity != CARDAN_NONE) return CARDAN_SINGULAR;
    cd_report_stage_done(info, "1");
    for (int i = 0; i < rows->nrow; ++i) {
        cd_skyline_forward(&w->M, w->T + i * nv);
        for (int v = 0; v < nv; ++v) w->T_over_D[i * nv + v] = r_mul_inv(w->T[i * nv + v], *cd_skyline_at(&w->M, v, v));
    }
    cd_report_stage_done(info, "3.1");
    for (int i = 0; i < rows->nrow; ++i) {
        for (int j = 0; j <= i; ++j) *cd_skyline_at(&w->N, i, j) = dot(nv, w->T + i * nv, w->T_over_D + j * nv);
        if (rows->compliance)
            *cd_skyline_at(&w->N, i, i) = r_add(*cd_skyline_at(&w->N, i, i), r_const(rows->compliance[i]));
    }
    cd_report_stage_done(info, "3.3");
    const int bad = cd_cuts_factor(p, &w->N, cd_null_row_pivot_sq);
    cd_report_stage_done(info, "3.4");
    info->conditioning = cd_skyline_conditioning(&w->N);
    info->failed_row   = bad < 0 ? CARDAN_NONE : bad;
    info->failed_velocity =
        bad < 0 ? cd_proximal_find_undetermined(p, &w->proximal, solve_with_factor, w, w->proximal.previous)
                : CARDAN_NONE;
    return bad < 0 && info->failed_velocity == CARDAN_NONE ? CARDAN_OK : CARDAN_SINGULAR;
}

static void solve_proximal(const cd_problem* p, void* work, const real* r, const real* gamma, real* a, real* lambda)
{
    augmented_dense_work* w = work;
    cd_proximal_solve(p, &w->proximal, solve_with_factor, w, r, gamma, a, lambda);
}

static cardan_status solve(const cd_problem* p, void* work, const cd_right_sides* rhs, const cd_solution* x,
                           cd_solve_info* info)
{
    augmented_dense_work* w = work;
    w->info                 = info;
    cd_refinement_begin(&w->refinement, rhs);
    solve_proximal(p, w, rhs->r, rhs->gamma, x->a, x->lambda);
    const double free_acceleration = cd_free_acceleration_scale(p->m, rhs->r);
    if (cd_refinement_is_possible(p, &w->refinement) &&
        (w->proximal.is_active || w->N.min_pivot_rel < cd_refine_below_path_pivot_sq ||
         !cd_rows_are_satisfied(p->rows, x->a, rhs->gamma, free_acceleration)))
        cd_refinement_iterate(p, &w->refinement, solve_proximal, w, rhs->gamma, free_acceleration, x);
    info->conditioning = cd_skyline_conditioning(&w->N);
    return cd_check_consistency(p, x->a, rhs->gamma, free_acceleration,
                                cd_skyline_largest_diagonal_term(&w->N, x->lambda), info);
}

static void reset(const cardan_model* m, void* work) { cd_proximal_reset(m, &((augmented_dense_work*)work)->proximal); }

const cd_formulation cd_augmented_dense = {
    .name       = "augmented-dense",
    .summary    = "the algorithm of 'augmented-last' on dense matrices, without use of the tree",
    .citation   = "Negrut, Serban, Potra 1997, section 6 (Alg-D)",
    .properties = CD_SUPPORTS_TREES | CD_SUPPORTS_LOOPS | CD_SUPPORTS_REDUNDANT_ROWS | CD_NEEDS_JOINT_SPACE_JACOBIAN |
                  CD_REFERENCE_IMPLEMENTATION | CD_REPORTS_PIVOTS | CD_DENSE_COST,
    .tree_policy     = CARDAN_TREE_BREADTH_FIRST,
    .work_size       = sizeof(augmented_dense_work),
    .memory_estimate = memory_estimate,
    .layout          = layout,
    .reset           = reset,
    .assemble        = assemble,
    .factor          = factor,
    .solve           = solve,
};
