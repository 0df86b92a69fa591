// SPDX-License-Identifier: BSD-3-Clause
// The mass matrix by composite bodies (tree_mass.c), factored along the tree (tree_factor.c): M = L' D L, L' D L a = r.
// Paper 002, algorithm of section 4.3, steps 1, 2 and 4. docs/theory/cholesky.md.
#include "formulation/formulation.h"
#include "formulation/tree/tree_factor.h"

typedef struct cholesky_work {
    cd_tree_matrix M; // then L (unit diagonal left out) with 1/D on the diagonal
    cd_branches    branches;
    real*          diagonal; // (nv) diagonal of M, the scale of the pivots
} cholesky_work;

static cardan_status analyse(const cardan_model* m, const cd_rows* rows, void* work, cardan_report* report)
{
    (void)rows;
    cholesky_work* w = work;
    if (cd_branches_analyse(m, &w->branches)) return CARDAN_OK;
    return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                       "out of memory for the branches of '%s'", m->view.name);
}

static void release(void* work)
{
    cholesky_work* w = work;
    cd_branches_release(&w->branches);
}

static void set_threads(void* work, cd_threads* threads) { ((cholesky_work*)work)->branches.threads = threads; }

static double memory_estimate(const cardan_model* m, const cd_rows* rows)
{
    return (void)rows, cd_tree_mass_entries(m);
}

static void layout(const cardan_model* m, const cd_rows* rows, cd_arena* arena, void* work)
{
    (void)rows;
    cholesky_work* w = work;
    cd_tree_mass_layout(m, arena, &w->M);
    cd_branches_layout(&w->branches, arena);
    CD_ARENA_ARRAY(arena, w->diagonal, m->nv);
}

static void assemble(const cd_problem* p, void* work)
{
    cholesky_work* w = work;
    cd_root_frame_poses(p->m, p->k);
    cd_tree_mass(p->m, p->k, &w->M);
    for (int v = 0; v < p->m->nv; ++v) w->diagonal[v] = w->M.entry[w->M.start[v]];
}

static cardan_status factor(const cd_problem* p, void* work, cd_solve_info* info)
{
    cholesky_work* w      = work;
    info->failed_velocity = cd_tree_factor(p->m, &w->branches, &w->M, w->diagonal);
    return info->failed_velocity == CARDAN_NONE ? CARDAN_OK : CARDAN_SINGULAR;
}

static cardan_status solve(const cd_problem* p, void* work, const cd_right_sides* rhs, const cd_solution* x,
                           cd_solve_info* info)
{
    (void)info;
    cholesky_work* w = work;
    for (int v = 0; v < p->m->nv; ++v) x->a[v] = rhs->r[v];
    cd_tree_inward(p->m, &w->branches, &w->M, x->a);
    cd_tree_outward(p->m, &w->branches, &w->M, x->a);
    return CARDAN_OK;
}

const cd_formulation cd_cholesky = {
    .name               = "cholesky",
    .summary            = "mass matrix by composite inertias, factored along the tree without fill-in",
    .citation           = "Negrut, Serban, Potra 1997, section 4",
    .properties         = CD_SUPPORTS_TREES,
    .tree_policy        = CARDAN_TREE_BREADTH_FIRST,
    .time_per_operation = {0.2, 0},
    .work_size          = sizeof(cholesky_work),
    .memory_estimate    = memory_estimate,
    .analyse            = analyse,
    .release            = release,
    .set_threads        = set_threads,
    .layout             = layout,
    .assemble           = assemble,
    .factor             = factor,
    .solve              = solve,
};
