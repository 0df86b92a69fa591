// SPDX-License-Identifier: BSD-3-Clause
// Paper 002 as printed: all links from the leaves to the roots, then all rows of the cuts. Reference implementation for
// `augmented`, which eliminates rows before the common ancestor of their ends.
//
//   1    M = L' D L                         tree_factor.c, no fill-in
//   2    L' z = r
//   3.1  L' T = J'                          cut_forces.h: T only on the paths to ground (Lemma 3)
//   3.2  n = T' D^-1 z - gamma
//   3.3  N = T' D^-1 T
//   3.4  N lambda = n                       skyline_ldl.c: cuts without a common path are not coupled
//   3.5  y = T lambda
//   4    D L a = z - y
//
// without square roots and with all symmetries: for the vehicle of the paper 4065 multiplications, where the paper
// prints 4258 and omits 240. Paper 002, section 4.3. docs/theory/augmented.md.
#include "formulation/formulation_tolerances.h"
#include "formulation/augmented/cut_forces.h"
#include "formulation/safeguards/proximal_inertia.h"
#include "formulation/safeguards/consistency_check.h"
#include "formulation/tree/tree_factor.h"

typedef struct augmented_last_work {
    cd_tree_matrix       M; // then L
    cd_branches          branches;
    cd_cuts              cuts;
    real*                diagonal;          // (nv) of M, then 1/D
    real*                z;                 // (nv)
    real*                z_over_D;          // (nv) D^-1 z
    int*                 path_index;        // (nv) position of a velocity on the paths of a cut
    double               free_acceleration; // size of the row accelerations without lambda, in the last solve
    const cd_solve_info* info;              // receives the reports of stages
    cd_refinement        refinement;
    cd_proximal          proximal;
} augmented_last_work;

static cardan_status analyse(const cardan_model* m, const cd_rows* rows, void* work, cardan_report* report)
{
    augmented_last_work* w = work;
    if (cd_cuts_analyse(m, rows, &w->cuts) && cd_branches_analyse(m, &w->branches)) return CARDAN_OK;
    return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                       "out of memory for the loops of '%s'", m->view.name);
}

static void release(void* work)
{
    augmented_last_work* w = work;
    cd_cuts_release(&w->cuts);
    cd_branches_release(&w->branches);
}

static void set_threads(void* work, cd_threads* threads) { ((augmented_last_work*)work)->branches.threads = threads; }

static double memory_estimate(const cardan_model* m, const cd_rows* rows)
{
    return (void)rows, cd_tree_mass_entries(m);
}

static void layout(const cardan_model* m, const cd_rows* rows, cd_arena* arena, void* work)
{
    augmented_last_work* w = work;
    cd_tree_mass_layout(m, arena, &w->M);
    cd_branches_layout(&w->branches, arena);
    cd_cuts_layout(&w->cuts, arena);
    CD_ARENA_ARRAY(arena, w->diagonal, m->nv);
    CD_ARENA_ARRAY(arena, w->z, m->nv);
    CD_ARENA_ARRAY(arena, w->z_over_D, m->nv);
    CD_ARENA_ARRAY(arena, w->path_index, m->nv);
    cd_refinement_layout(m, rows, arena, &w->refinement);
    cd_proximal_layout(m, rows, arena, &w->proximal);
}

static void assemble(const cd_problem* p, void* work)
{
    augmented_last_work* w = work;
    cd_root_frame_poses(p->m, p->k);
    cd_tree_mass(p->m, p->k, &w->M);
}

// Compute T of one cut, all its rows together.
static void solve_cut_columns(const cardan_model* m, const cd_row_block* b, int c, augmented_last_work* w)
{
    const cd_cuts* cuts  = &w->cuts;
    const int      start = cuts->path_start[c], n = cuts->path_start[c + 1] - start, nrow = b->nrow;
    if (n == 0) return;
    real* T = cuts->T + cuts->T_offset[start]; // (n x nrow)
    for (int s = 0; s < n; ++s) {
        const int column                              = cuts->path_column[start + s];
        w->path_index[cuts->path_velocity[start + s]] = s;
        for (int i = 0; i < nrow; ++i) T[s * nrow + i] = column == CARDAN_NONE ? r_const(0) : b->J[i * b->nv + column];
    }
    for (int s = 0; s < n; ++s) {
        const int v = cuts->path_velocity[start + s], first = w->M.start[v], end = first + m->v_depth[v];
        for (int e = first + 1; e < end; ++e) {
            real* to = T + w->path_index[w->M.column[e]] * nrow;
            for (int i = 0; i < nrow; ++i) to[i] = r_sub(to[i], r_mul(w->M.entry[e], T[s * nrow + i]));
        }
    }
}

static void solve_with_factor(const cd_problem* p, void* work, const real* r, const real* gamma, real* a, real* lambda)
{
    const cardan_model*        m    = p->m;
    const cd_rows*             rows = p->rows;
    augmented_last_work*       w    = work;
    const cd_solve_info* const info = w->info;
    for (int v = 0; v < m->nv; ++v) w->z[v] = r[v];
    cd_tree_inward(m, &w->branches, &w->M, w->z);
    for (int v = 0; v < m->nv; ++v) w->z_over_D[v] = r_mul_inv(w->z[v], w->diagonal[v]);
    cd_report_stage_done(info, "2");
    w->free_acceleration = cd_cuts_form_rhs(rows, &w->cuts, w->z_over_D, gamma, lambda);
    cd_report_stage_done(info, "3.2");
    cd_skyline_solve(&w->cuts.N, lambda);
    cd_report_stage_done(info, "3.4");
    for (int v = 0; v < m->nv; ++v) a[v] = w->z[v];
    cd_cuts_apply_forces(rows, &w->cuts, lambda, a);
    cd_report_stage_done(info, "3.5");
    cd_tree_outward(m, &w->branches, &w->M, a);
    cd_report_stage_done(info, "4");
}

// Factor M with proximal inertia. Returns the velocity whose pivot is round-off, or CARDAN_NONE.
static int factor_mass(const cardan_model* m, augmented_last_work* w)
{
    for (int v = 0; v < m->nv; ++v) {
        real* entry = &w->M.entry[w->M.start[v]];
        if (w->proximal.added_inertia[v] > 0) *entry = r_add(*entry, r_const(w->proximal.added_inertia[v]));
        w->diagonal[v] = *entry;
    }
    return cd_tree_factor(m, &w->branches, &w->M, w->diagonal);
}

static cardan_status factor(const cd_problem* p, void* work, cd_solve_info* info)
{
    const cardan_model*  m    = p->m;
    const cd_rows*       rows = p->rows;
    augmented_last_work* w    = work;
    w->info                   = info;
    info->failed_velocity     = factor_mass(m, w);
    while (cd_proximal_add(m, rows, &w->proximal, info->failed_velocity)) {
        cd_tree_mass(m, p->k, &w->M);
        info->failed_velocity = factor_mass(m, w);
    }
    if (info->failed_velocity != CARDAN_NONE) return CARDAN_SINGULAR;
    for (int v = 0; v < m->nv; ++v) w->diagonal[v] = w->M.entry[w->M.start[v]];
    cd_report_stage_done(info, "1");
    for (int c = 0; c < rows->nblock; ++c) solve_cut_columns(m, &rows->block[c], c, w);
    cd_report_stage_done(info, "3.1");
    cd_cuts_assemble(rows, &w->cuts, m->nv, w->diagonal);
    cd_report_stage_done(info, "3.3");
    const int bad = cd_cuts_factor(p, &w->cuts.N, cd_null_row_pivot_sq);
    cd_report_stage_done(info, "3.4");
    info->conditioning = cd_skyline_conditioning(&w->cuts.N);
    info->failed_row   = bad < 0 ? CARDAN_NONE : bad;
    info->failed_velocity =
        bad < 0 ? cd_proximal_find_undetermined(p, &w->proximal, solve_with_factor, w, w->proximal.previous)
                : CARDAN_NONE;
    return bad < 0 && info->failed_velocity == CARDAN_NONE ? CARDAN_OK : CARDAN_SINGULAR;
}

static void solve_proximal(const cd_problem* p, void* work, const real* r, const real* gamma, real* a, real* lambda)
{
    augmented_last_work* w = work;
    cd_proximal_solve(p, &w->proximal, solve_with_factor, w, r, gamma, a, lambda);
}

static cardan_status solve(const cd_problem* p, void* work, const cd_right_sides* rhs, const cd_solution* x,
                           cd_solve_info* info)
{
    augmented_last_work* w = work;
    w->info                = info;
    cd_refinement_begin(&w->refinement, rhs);
    solve_proximal(p, w, rhs->r, rhs->gamma, x->a, x->lambda);
    // The second scale includes other bodies, for light bodies that are constrained.
    const double free_acceleration = fmax(w->free_acceleration, cd_free_acceleration_scale(p->m, rhs->r));
    if (cd_refinement_is_possible(p, &w->refinement) &&
        (w->proximal.is_active || w->cuts.N.min_pivot_rel < cd_refine_below_path_pivot_sq ||
         !cd_rows_are_satisfied(p->rows, x->a, rhs->gamma, free_acceleration)))
        cd_refinement_iterate(p, &w->refinement, solve_proximal, w, rhs->gamma, free_acceleration, x);
    info->conditioning = cd_skyline_conditioning(&w->cuts.N);
    return cd_check_consistency(p, x->a, rhs->gamma, free_acceleration,
                                cd_skyline_largest_diagonal_term(&w->cuts.N, x->lambda), info);
}

static void reset(const cardan_model* m, void* work) { cd_proximal_reset(m, &((augmented_last_work*)work)->proximal); }

const cd_formulation cd_augmented_last = {
    .name       = "augmented-last",
    .summary    = "joint coordinates with multipliers, all rows after the tree, the stages as published",
    .citation   = "Negrut, Serban, Potra 1997, section 4.3 (Alg-S)",
    .properties = CD_SUPPORTS_TREES | CD_SUPPORTS_LOOPS | CD_SUPPORTS_REDUNDANT_ROWS | CD_NEEDS_JOINT_SPACE_JACOBIAN |
                  CD_REFERENCE_IMPLEMENTATION | CD_REPORTS_PIVOTS,
    .tree_policy     = CARDAN_TREE_BREADTH_FIRST,
    .work_size       = sizeof(augmented_last_work),
    .memory_estimate = memory_estimate,
    .analyse         = analyse,
    .release         = release,
    .set_threads     = set_threads,
    .layout          = layout,
    .reset           = reset,
    .assemble        = assemble,
    .factor          = factor,
    .solve           = solve,
};
