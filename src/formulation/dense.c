// SPDX-License-Identifier: BSD-3-Clause
// The yardstick: M from the Jacobians of all bodies, no recursion, and a rank-revealing least-squares solve by LAPACK. Slow,
// plain, and derived differently from everything it is compared with.
//
//   M = sum over links of J(i)' I(i) J(i) + armature,    J(i): columns of the velocities on the way to ground, at the root
//   scaled to unit diagonal, so that the rank does not depend on units
//
// docs/theory/dense.md.
#include "formulation/formulation.h"
#include "math/dense.h"

static const double rank_tolerance = 1e-13;

typedef struct dense_work {
    real*    M;      // (nv x nv) both triangles
    real*    A;      // (nv x nv) scaled copy, overwritten by the solve
    real*    scale;  // (nv) 1 / sqrt of the diagonal
    spatial* F;      // (nv) I J, the columns of one link
    int*     path;   // (nv) velocities on the way to ground
    real*    work;   // LAPACK's
    int*     pivot;  // (nv)
} dense_work;

static double appetite(const cardan_model* m) { return 2.0 * m->nv * m->nv; }

static void layout(const cardan_model* m, cd_arena* arena, void* work)
{
    dense_work* w = work;
    CD_TAKE(arena, w->M, (size_t)m->nv * (size_t)m->nv);
    CD_TAKE(arena, w->A, (size_t)m->nv * (size_t)m->nv);
    CD_TAKE(arena, w->scale, m->nv);
    CD_TAKE(arena, w->F, m->nv);
    CD_TAKE(arena, w->path, m->nv);
    CD_TAKE(arena, w->work, r_dense_work(m->nv));
    CD_TAKE(arena, w->pivot, m->nv);
}

static cardan_status assemble(const cardan_model* m, cd_kinematics* k, const cd_rows* rows, void* work)
{
    (void)rows;
    dense_work* w = work;
    const int   n = m->nv;
    cd_reference_poses(m, k);
    for (int i = 0; i < n * n; ++i) w->M[i] = r_lift(0);
    for (int i = 0; i < m->nlink; ++i) {
        const cd_link* link = &m->link[i];
        if (link->bare) continue;
        const rigid I     = rigid_out(k->root[i], (rigid){r_lift(link->m), v3_lift(link->h), s3_lift(link->I)});
        int         count = 0;
        for (int v = link->v + link->nv - 1; v >= 0; v = m->v_parent[v]) {
            w->F[count]      = rigid_mul(I, k->column[v]);
            w->path[count++] = v;
        }
        for (int a = 0; a < count; ++a)
            for (int b = 0; b < count; ++b) {
                real* entry = &w->M[w->path[a] * n + w->path[b]];
                *entry      = r_add(*entry, sv_dot(w->F[a], k->column[w->path[b]]));
            }
    }
    for (int v = 0; v < n; ++v) w->M[v * n + v] = r_add(w->M[v * n + v], r_lift(m->armature[v]));
    return CARDAN_OK;
}

static cardan_status factor(const cardan_model* m, cd_kinematics* k, const cd_rows* rows, void* work, cd_where* where)
{
    (void)k, (void)rows;
    dense_work* w = work;
    for (int v = 0; v < m->nv; ++v) {
        const real diagonal = w->M[v * m->nv + v];
        if (!(r_value(diagonal) > 0)) {
            where->v = v;
            return CARDAN_SINGULAR;
        }
        w->scale[v] = r_div(r_lift(1), r_sqrt(diagonal));
    }
    return CARDAN_OK;
}

static cardan_status solve(const cardan_model* m, cd_kinematics* k, const cd_rows* rows, void* work, const real* r, const real* gamma,
                           real* a, real* lambda, cd_where* where)
{
    (void)k, (void)rows, (void)gamma, (void)lambda;
    dense_work* w = work;
    const int   n = m->nv;
    for (int i = 0; i < n; ++i) {
        a[i] = r_mul(r[i], w->scale[i]);
        for (int j = 0; j < n; ++j) w->A[i * n + j] = r_mul(r_mul(w->M[i * n + j], w->scale[i]), w->scale[j]);
    }
    const int rank = r_least_squares(n, w->A, a, rank_tolerance, w->work, w->pivot);
    if (rank < 0) return CARDAN_DIVERGED;
    if (rank < n) {
        where->v = r_dependent_column(w->pivot, rank);
        return CARDAN_SINGULAR;
    }
    for (int i = 0; i < n; ++i) a[i] = r_mul(a[i], w->scale[i]);
    return CARDAN_OK;
}

const cd_formulation cd_dense = {
    .name      = "dense",
    .summary   = "mass matrix from all Jacobians, rank-revealing dense solve; the yardstick",
    .reference = "LAPACK dgelsy",
    .supports  = CD_TREE,
    .tree      = CARDAN_TREE_SHALLOW,
    .work_size = sizeof(dense_work),
    .appetite  = appetite,
    .layout    = layout,
    .assemble  = assemble,
    .factor    = factor,
    .solve     = solve,
};
