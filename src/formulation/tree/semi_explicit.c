// SPDX-License-Identifier: BSD-3-Clause
// Semi-explicit form: M(q) a = r, M by composite bodies in body axes, then a dense Cholesky factorization.
// Paper 003, section 3.2.2. docs/theory/semi.md.
#include "formulation/formulation.h"
#include "kinematics/composite_inertia.h"
#include "math/dense_cholesky.h"

// A pivot below this fraction of its inertia scale is round-off.
static const double null_pivot_tolerance = 1e-13;

typedef struct semi_work {
    real*  M; // (nv x nv) lower triangle, then L
    rigid* K; // (nlink) composite inertias
} semi_work;

static double memory_estimate(const cardan_model* m, const cd_rows* rows) { return (void)rows, (double)m->nv * m->nv; }

static void layout(const cardan_model* m, const cd_rows* rows, cd_arena* arena, void* work)
{
    (void)rows;
    semi_work* w = work;
    CD_ARENA_ARRAY(arena, w->M, (size_t)m->nv * (size_t)m->nv);
    CD_ARENA_ARRAY(arena, w->K, m->nlink);
}

static cardan_status assemble(const cardan_model* m, cd_kinematics* k, const cd_rows* rows, void* work)
{
    (void)rows;
    semi_work* w = work;
    cd_mass_matrix_crba(m, k, w->K, w->M);
    return CARDAN_OK;
}

static cardan_status factor(const cardan_model* m, cd_kinematics* k, const cd_rows* rows, void* work,
                            cd_solve_info* info)
{
    (void)k, (void)rows;
    semi_work* w   = work;
    const int  row = dense_factor(m->nv, w->M, null_pivot_tolerance, m->inertia_scale);
    if (row == m->nv) return CARDAN_OK;
    info->failed_velocity = row;
    return CARDAN_SINGULAR;
}

static cardan_status solve(const cardan_model* m, cd_kinematics* k, const cd_rows* rows, void* work, const real* r,
                           const real* gamma, real* a, real* lambda, cd_solve_info* info)
{
    (void)k, (void)rows, (void)gamma, (void)lambda, (void)info;
    semi_work* w = work;
    for (int v = 0; v < m->nv; ++v) a[v] = r[v];
    dense_solve(m->nv, w->M, a);
    return CARDAN_OK;
}

const cd_formulation cd_semi = {
    .name            = "semi",
    .summary         = "mass matrix by composite inertias, dense Cholesky solve",
    .citation        = "Docquier, Bruels, Fisette 2019, section 3.2.2",
    .properties      = CD_SUPPORTS_TREES | CD_DENSE_COST,
    .tree_policy     = CARDAN_TREE_BREADTH_FIRST,
    .work_size       = sizeof(semi_work),
    .memory_estimate = memory_estimate,
    .layout          = layout,
    .assemble        = assemble,
    .factor          = factor,
    .solve           = solve,
};
