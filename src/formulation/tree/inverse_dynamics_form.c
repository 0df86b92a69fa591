// SPDX-License-Identifier: BSD-3-Clause
// Implicit form: the residual ID(q, v, a) - Q, which implicit integrators and collocation solve for zero. To compute
// accelerations, the residual is evaluated n + 1 times: at a = 0 (giving -r) and with each unit acceleration at zero
// velocity without gravity, which gives a column of M; a dense Cholesky solve follows.
//
//   M e(v) = ID(q, 0, e(v)) without gravity
//
// Paper 003, section 3.2.1. docs/theory/implicit.md.
#include "formulation/formulation_tolerances.h"
#include "formulation/formulation.h"
#include "math/dense_cholesky.h"

typedef struct implicit_work {
    real* M;             // (nv x nv) lower triangle, then L
    real* unit;          // (nv) unit acceleration
    real* zero_velocity; // (nv)
    real* column;
    real* gravity_effort; // (nv) efforts at zero velocity and acceleration: gravity alone
} implicit_work;

static double memory_estimate(const cardan_model* m, const cd_rows* rows) { return (void)rows, (double)m->nv * m->nv; }

static void layout(const cardan_model* m, const cd_rows* rows, cd_arena* arena, void* work)
{
    (void)rows;
    implicit_work* w = work;
    CD_ARENA_ARRAY(arena, w->M, (size_t)m->nv * (size_t)m->nv);
    CD_ARENA_ARRAY(arena, w->unit, m->nv);
    CD_ARENA_ARRAY(arena, w->zero_velocity, m->nv);
    CD_ARENA_ARRAY(arena, w->column, m->nv);
    CD_ARENA_ARRAY(arena, w->gravity_effort, m->nv);
}

static cardan_status factor(const cd_problem* p, void* work, cd_solve_info* info)
{
    const cardan_model* m = p->m;
    implicit_work*      w = work;
    const int           n = m->nv;
    for (int i = 0; i < n; ++i) w->unit[i] = w->zero_velocity[i] = r_const(0);
    cd_inverse_dynamics(m, p->k, w->zero_velocity, NULL, NULL, w->gravity_effort);
    for (int v = 0; v < n; ++v) {
        w->unit[v] = r_const(1);
        cd_inverse_dynamics(m, p->k, w->zero_velocity, w->unit, NULL, w->column);
        for (int i = v; i < n; ++i) w->M[i * n + v] = r_sub(w->column[i], w->gravity_effort[i]);
        w->unit[v] = r_const(0);
    }
    const int row = dense_factor(n, w->M, cd_massless_pivot, m->inertia_scale);
    if (row == n) return CARDAN_OK;
    info->failed_velocity = row;
    return CARDAN_SINGULAR;
}

static cardan_status solve(const cd_problem* p, void* work, const cd_right_sides* rhs, const cd_solution* x,
                           cd_solve_info* info)
{
    (void)info;
    implicit_work* w = work;
    for (int v = 0; v < p->m->nv; ++v) x->a[v] = rhs->r[v];
    dense_solve(p->m->nv, w->M, x->a);
    return CARDAN_OK;
}

const cd_formulation cd_implicit = {
    .name            = "implicit",
    .summary         = "the residual ID(q, v, a) - Q by recursive Newton-Euler; implicit integrators solve it",
    .citation        = "Docquier, Bruels, Fisette 2019, section 3.2.1",
    .properties      = CD_SUPPORTS_TREES | CD_IS_RESIDUAL,
    .tree_policy     = CARDAN_TREE_BREADTH_FIRST,
    .work_size       = sizeof(implicit_work),
    .memory_estimate = memory_estimate,
    .layout          = layout,
    .factor          = factor,
    .solve           = solve,
};
