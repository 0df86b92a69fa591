// SPDX-License-Identifier: BSD-3-Clause
// The mass matrix factored along the tree, M = L' D L, leaves first. Column v of L reaches only the ancestors of v, so
// there is no fill-in and branches are independent; no square roots.
//
//   factor   for v from the leaves:   l = M(v, u) / D(v),   M(u, w) -= l M(v, w)       u, w ancestors of v, w not below u
//   solve    L' y = r                 leaves first:  r(u) -= L(v, u) r(v)
//            D z = y
//            L a = z                  roots first:   a(v) = z(v) - sum over u of L(v, u) a(u)
//
// Paper 002, algorithm of section 4.3, steps 1, 2 and 4. docs/theory/cholesky.md.
#include "formulation/formulation.h"
#include "formulation/tree_mass.h"

// A pivot below this part of its diagonal entry, or of the inertia behind it, is no resistance but round-off.
static const double null_pivot = 1e-13;

typedef struct cholesky_work {
    cd_tree_matrix M;  // then L (unit diagonal left out) with D on the diagonal
    real*          x;  // (nv) diagonal of M, to judge the pivots by
} cholesky_work;

static double appetite(const cardan_model* m, const cd_rows* rows) { return (void)rows, cd_tree_mass_entries(m); }

static void layout(const cardan_model* m, const cd_rows* rows, cd_arena* arena, void* work)
{
    (void)rows;
    cholesky_work* w = work;
    cd_tree_mass_layout(m, arena, &w->M);
    CD_TAKE(arena, w->x, m->nv);
}

static cardan_status assemble(const cardan_model* m, cd_kinematics* k, const cd_rows* rows, void* work)
{
    (void)rows;
    cholesky_work* w = work;
    cd_reference_poses(m, k);
    cd_tree_mass(m, k, &w->M);
    for (int v = 0; v < m->nv; ++v) w->x[v] = w->M.entry[w->M.start[v]];
    return CARDAN_OK;
}

static cardan_status factor(const cardan_model* m, cd_kinematics* k, const cd_rows* rows, void* work, cd_where* where)
{
    (void)k, (void)rows;
    cholesky_work* w = work;
    for (int i = m->nv - 1; i >= 0; --i) {
        const int  v      = m->v_order[i], depth = m->v_depth[v];
        const int* column = w->M.column + w->M.start[v];
        real*      row    = w->M.entry + w->M.start[v];
        if (!(r_value(row[0]) > null_pivot * fmax(r_value(w->x[v]), m->resistance[v]))) {
            where->v = v;
            return CARDAN_SINGULAR;
        }
        const real one_over_D = r_div(r_lift(1), row[0]);
        for (int s = 1; s < depth; ++s) {
            const real l     = r_over(row[s], one_over_D);
            real*      upper = w->M.entry + w->M.start[column[s]];
            for (int t = s; t < depth; ++t) upper[t - s] = r_sub(upper[t - s], r_mul(l, row[t]));
            row[s] = l;
        }
        row[0] = one_over_D;
    }
    return CARDAN_OK;
}

static cardan_status solve(const cardan_model* m, cd_kinematics* k, const cd_rows* rows, void* work, const real* r, const real* gamma,
                           real* a, real* lambda, cd_where* where)
{
    (void)k, (void)rows, (void)gamma, (void)lambda, (void)where;
    cholesky_work* w = work;
    for (int v = 0; v < m->nv; ++v) a[v] = r[v];
    for (int i = m->nv - 1; i >= 0; --i) {
        const int   v = m->v_order[i], start = w->M.start[v], end = start + m->v_depth[v];
        for (int s = start + 1; s < end; ++s) a[w->M.column[s]] = r_sub(a[w->M.column[s]], r_mul(w->M.entry[s], a[v]));
    }
    for (int i = 0; i < m->nv; ++i) {
        const int v = m->v_order[i], start = w->M.start[v], end = start + m->v_depth[v];
        real      sum = r_over(a[v], w->M.entry[start]);
        for (int s = start + 1; s < end; ++s) sum = r_sub(sum, r_mul(w->M.entry[s], a[w->M.column[s]]));
        a[v] = sum;
    }
    return CARDAN_OK;
}

const cd_formulation cd_cholesky = {
    .name      = "cholesky",
    .summary   = "mass matrix by composite bodies, factored along the tree without fill-in",
    .reference = "Negrut, Serban, Potra 1997, section 4",
    .supports  = CD_TREE,
    .tree      = CARDAN_TREE_SHALLOW,
    .work_size = sizeof(cholesky_work),
    .appetite  = appetite,
    .layout    = layout,
    .assemble  = assemble,
    .factor    = factor,
    .solve     = solve,
};
