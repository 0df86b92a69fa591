// SPDX-License-Identifier: BSD-3-Clause
// Column v of L reaches only the ancestors of v, so there is no fill-in and branches are independent; no square roots.
//
//   factor   for v from the leaves:   l = M(v, u) / D(v),   M(u, w) -= l M(v, w)       u, w ancestors of v, w not below u
//   inward   L' y = r                 leaves first:  r(u) -= L(v, u) r(v)
//   outward  D L a = y                roots first:   a(v) = y(v) / D(v) - sum over u of L(v, u) a(u)
//
// Paper 002, section 4, steps 1, 2 and 4 of its algorithm. docs/theory/cholesky.md.
#include "formulation/tree_factor.h"

// A pivot below this part of its diagonal entry, or of the inertia behind it, is no resistance but round-off.
static const double null_pivot = 1e-13;

int cd_tree_factor(const cardan_model* m, cd_tree_matrix* M, const real* diagonal)
{
    for (int i = m->nv - 1; i >= 0; --i) {
        const int  v      = m->v_order[i], depth = m->v_depth[v];
        const int* column = M->column + M->start[v];
        real*      row    = M->entry + M->start[v];
        if (!(r_value(row[0]) > null_pivot * fmax(r_value(diagonal[v]), m->resistance[v]))) return v;
        const real one_over_D = r_div(r_lift(1), row[0]);
        for (int s = 1; s < depth; ++s) {
            const real l     = r_over(row[s], one_over_D);
            real*      upper = M->entry + M->start[column[s]];
            for (int t = s; t < depth; ++t) upper[t - s] = r_sub(upper[t - s], r_mul(l, row[t]));
            row[s] = l;
        }
        row[0] = one_over_D;
    }
    return CARDAN_NONE;
}

void cd_tree_inward(const cardan_model* m, const cd_tree_matrix* M, real* x)
{
    for (int i = m->nv - 1; i >= 0; --i) {
        const int v = m->v_order[i], start = M->start[v], end = start + m->v_depth[v];
        for (int s = start + 1; s < end; ++s) x[M->column[s]] = r_sub(x[M->column[s]], r_mul(M->entry[s], x[v]));
    }
}

void cd_tree_outward(const cardan_model* m, const cd_tree_matrix* M, real* x)
{
    for (int i = 0; i < m->nv; ++i) {
        const int v = m->v_order[i], start = M->start[v], end = start + m->v_depth[v];
        real      sum = r_over(x[v], M->entry[start]);
        for (int s = start + 1; s < end; ++s) sum = r_sub(sum, r_mul(M->entry[s], x[M->column[s]]));
        x[v] = sum;
    }
}
