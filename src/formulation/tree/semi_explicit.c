// SPDX-License-Identifier: BSD-3-Clause
// Semi-explicit form: M(q) a = r, M by composite bodies in body axes, then a dense Cholesky factorization.
// Paper 003, section 3.2.2. docs/theory/semi.md.
#include "formulation/formulation_tolerances.h"
#include "formulation/formulation.h"
#include "kinematics/composite_inertia.h"
#include "math/dense_cholesky.h"

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

static void assemble(const cd_problem* p, void* work)
{
    semi_work* w = work;
    cd_mass_matrix_crba(p->m, p->k, w->K, w->M);
}

static cardan_status factor(const cd_problem* p, void* work, cd_solve_info* info)
{
    semi_work* w   = work;
    const int  row = dense_factor(p->m->nv, w->M, cd_massless_pivot, p->m->inertia_scale);
    if (row == p->m->nv) return CARDAN_OK;
    info->failed_velocity = row;
    return CARDAN_SINGULAR;
}

static cardan_status solve(const cd_problem* p, void* work, const cd_right_sides* rhs, const cd_solution* x,
                           cd_solve_info* info)
{
    (void)info;
    semi_work* w = work;
    for (int v = 0; v < p->m->nv; ++v) x->a[v] = rhs->r[v];
    dense_solve(p->m->nv, w->M, x->a);
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
