// SPDX-License-Identifier: BSD-3-Clause
// Factorization along the tree. Column v of L is nonzero only at the ancestors of v, so that there is no fill-in and
// branches are independent; no square roots.
//
//   factor   for v from the leaves:   l = M(v, u) / D(v),   M(u, w) -= l M(v, w)  u, w ancestors of v, w not below u
//   inward   L' y = r                 leaves first:  r(u) -= L(v, u) r(v)
//   outward  D L a = y                roots first:   a(v) = y(v) / D(v) - sum over u of L(v, u) a(u)
//
// Paper 002, section 4, steps 1, 2 and 4 of its algorithm, and corollary 3 for the branches. docs/theory/cholesky.md.
#include "formulation/formulation_tolerances.h"
#include "formulation/tree/tree_factor.h"

typedef struct tree_sweep {
    const cardan_model*   m;
    const cd_branches*    B;
    const cd_tree_matrix* M;
    const real*           diagonal;
    real*                 x;
} tree_sweep;

// Return the number of velocities inboard of a branch: the tail of every row in it.
static int tail_length(const tree_sweep* j, int branch)
{
    return j->B->parent[branch] < 0 ? 0 : j->m->v_depth[j->B->parent[branch]];
}

// Eliminate one velocity. Its updates of the last `tail` rows are added to `sum`, a packed triangle, instead. Returns
// false if the pivot is round-off.
static bool factor_velocity(const tree_sweep* j, int v, int tail, real* sum)
{
    const int    depth = j->m->v_depth[v], own = depth - tail;
    const int*   column    = j->M->column + j->M->start[v];
    real*        row       = j->M->entry + j->M->start[v];
    const double min_pivot = cd_massless_pivot * fmax(r_value(j->diagonal[v]), j->m->inertia_scale[v]);
    if (!(r_value(row[0]) > fmax(min_pivot, j->m->inertia_roundoff[v]))) return false;
    const real one_over_D = r_div(r_const(1), row[0]);
    for (int s = 1; s < depth; ++s) {
        const real l     = r_mul_inv(row[s], one_over_D);
        real*      upper = s < own ? j->M->entry + j->M->start[column[s]] : sum;
        for (int t = s; t < depth; ++t) upper[t - s] = r_sub(upper[t - s], r_mul(l, row[t]));
        if (s >= own) sum += depth - s;
        row[s] = l;
    }
    row[0] = one_over_D;
    return true;
}

static void factor_branch(void* context, int branch)
{
    const tree_sweep*  j    = context;
    const cd_branches* B    = j->B;
    const int          tail = tail_length(j, branch);
    real*              sum  = B->sum + B->sum_offset[branch];
    for (int i = 0; i < tail * (tail + 1) / 2; ++i) sum[i] = r_const(0);
    B->bad_velocity[branch] = CARDAN_NONE;
    for (int i = B->start[branch]; i < B->start[branch + 1]; ++i)
        if (!factor_velocity(j, B->v[i], tail, sum)) {
            B->bad_velocity[branch] = B->v[i];
            return;
        }
}

// Add the updates of a branch to the rows inboard of it.
static void add_branch_sums(const tree_sweep* j, int branch)
{
    const int   tail = tail_length(j, branch);
    const real* sum  = j->B->sum + j->B->sum_offset[branch];
    if (tail == 0) return;
    const int* path = j->M->column + j->M->start[j->B->parent[branch]];
    for (int s = 0; s < tail; ++s) {
        real* row = j->M->entry + j->M->start[path[s]];
        for (int t = 0; t < tail - s; ++t) row[t] = r_add(row[t], *sum++);
    }
}

int cd_tree_factor(const cardan_model* m, const cd_branches* B, cd_tree_matrix* M, const real* diagonal)
{
    tree_sweep j = {.m = m, .B = B, .M = M, .diagonal = diagonal};
    if (B->nbranch == 0) {
        for (int i = m->nv - 1; i >= 0; --i)
            if (!factor_velocity(&j, m->v_order[i], 0, NULL)) return m->v_order[i];
        return CARDAN_NONE;
    }
    cd_threads_run(B->threads, B->nbranch, factor_branch, &j);
    for (int b = 0; b < B->nbranch; ++b) {
        if (B->bad_velocity[b] != CARDAN_NONE) return B->bad_velocity[b];
        add_branch_sums(&j, b);
    }
    for (int i = B->start[B->nbranch]; i < m->nv; ++i)
        if (!factor_velocity(&j, B->v[i], 0, NULL)) return B->v[i];
    return CARDAN_NONE;
}

static inline void inward_velocity(const tree_sweep* j, int v, int tail, real* sum)
{
    const int start = j->M->start[v], end = start + j->m->v_depth[v];
    for (int s = start + 1; s < end - tail; ++s)
        j->x[j->M->column[s]] = r_sub(j->x[j->M->column[s]], r_mul(j->M->entry[s], j->x[v]));
    for (int s = end - tail, t = 0; t < tail; ++s, ++t) sum[t] = r_sub(sum[t], r_mul(j->M->entry[s], j->x[v]));
}

static void inward_branch(void* context, int branch)
{
    const tree_sweep*  j    = context;
    const cd_branches* B    = j->B;
    const int          tail = tail_length(j, branch);
    real*              sum  = B->sum + B->sum_offset[branch];
    for (int i = 0; i < tail; ++i) sum[i] = r_const(0);
    for (int i = B->start[branch]; i < B->start[branch + 1]; ++i) inward_velocity(j, B->v[i], tail, sum);
}

void cd_tree_inward(const cardan_model* m, const cd_branches* B, const cd_tree_matrix* M, real* x)
{
    tree_sweep j = {.m = m, .B = B, .M = M, .x = x};
    if (B->nbranch == 0) {
        for (int i = m->nv - 1; i >= 0; --i) inward_velocity(&j, m->v_order[i], 0, NULL);
        return;
    }
    cd_threads_run(B->threads, B->nbranch, inward_branch, &j);
    for (int b = 0; b < B->nbranch; ++b) {
        const int   tail = tail_length(&j, b);
        const int*  path = tail > 0 ? M->column + M->start[B->parent[b]] : NULL;
        const real* sum  = B->sum + B->sum_offset[b];
        for (int s = 0; s < tail; ++s) x[path[s]] = r_add(x[path[s]], sum[s]);
    }
    for (int i = B->start[B->nbranch]; i < m->nv; ++i) inward_velocity(&j, B->v[i], 0, NULL);
}

static inline void outward_velocity(const tree_sweep* j, int v)
{
    const int start = j->M->start[v], end = start + j->m->v_depth[v];
    real      sum = r_mul_inv(j->x[v], j->M->entry[start]);
    for (int s = start + 1; s < end; ++s) sum = r_sub(sum, r_mul(j->M->entry[s], j->x[j->M->column[s]]));
    j->x[v] = sum;
}

static void outward_branch(void* context, int branch)
{
    const tree_sweep* j = context;
    for (int i = j->B->start[branch + 1] - 1; i >= j->B->start[branch]; --i) outward_velocity(j, j->B->v[i]);
}

void cd_tree_outward(const cardan_model* m, const cd_branches* B, const cd_tree_matrix* M, real* x)
{
    tree_sweep j = {.m = m, .B = B, .M = M, .x = x};
    if (B->nbranch == 0) {
        for (int i = 0; i < m->nv; ++i) outward_velocity(&j, m->v_order[i]);
        return;
    }
    for (int i = m->nv - 1; i >= B->start[B->nbranch]; --i) outward_velocity(&j, B->v[i]);
    cd_threads_run(B->threads, B->nbranch, outward_branch, &j);
}
