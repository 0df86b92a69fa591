// SPDX-License-Identifier: BSD-3-Clause
// KKT matrix of maximal coordinates by a dense LDL' with Bunch-Kaufman pivoting: LAPACK's dsytrf and dsytrs, lower
// triangle.
#include "full_step.h"

#include <string.h>

void dsytrf_(const char* uplo, const int* n, double* A, const int* lda, int* pivot, double* work, const int* lwork,
             int* info);
void dsytrs_(const char* uplo, const int* n, const int* nrhs, const double* A, const int* lda, const int* pivot,
             double* b, const int* ldb, int* info);

enum { PANEL = 64 };

typedef struct dense {
    int     n;
    double *K, *x, *work;
    int*    pivot;
} dense;

static void layout(const cardan_model* m, const cd_rows* rows, cd_arena* arena, void* work)
{
    dense* w = work;
    w->n     = m->nv + rows->nrow;
    CD_ARENA_ARRAY(arena, w->K, (size_t)w->n * (size_t)w->n);
    CD_ARENA_ARRAY(arena, w->x, w->n);
    CD_ARENA_ARRAY(arena, w->work, PANEL * w->n);
    CD_ARENA_ARRAY(arena, w->pivot, w->n);
}

static void assemble(const cd_problem* p, void* work)
{
    const cardan_model* m    = p->m;
    const cd_rows*      rows = p->rows;
    const dense*        w    = work;
    const size_t        n    = (size_t)w->n;
    memset(w->K, 0, n * n * sizeof *w->K);
    for (int i = 0; i < m->nlink; ++i) {
        const double* I       = m->link[i].I;
        const double  J[3][3] = {{I[0], I[3], I[4]}, {I[3], I[1], I[5]}, {I[4], I[5], I[2]}};
        for (size_t a = 0; a < 3; ++a) {
            const size_t v          = 6 * (size_t)i;
            w->K[(v + a) * (n + 1)] = m->link[i].m;
            for (size_t b = 0; b < 3; ++b) w->K[(v + 3 + a) * n + v + 3 + b] = J[a][b];
        }
    }
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        for (int i = 0; i < b->nrow; ++i) {
            const size_t row = (size_t)(m->nv + b->row + i);
            for (int j = 0; j < b->nv; ++j) w->K[(size_t)b->v[j] * n + row] = b->J[i * b->nv + j];
            if (rows->compliance) w->K[row * (n + 1)] = -rows->compliance[b->row + i];
        }
    }
}

static cardan_status factor(const cd_problem* p, void* work, cd_solve_info* where)
{
    (void)p, (void)where;
    const dense* w    = work;
    const int    room = PANEL * w->n;
    int          info;
    dsytrf_("L", &w->n, w->K, &w->n, w->pivot, w->work, &room, &info);
    return info == 0 ? CARDAN_OK : CARDAN_SINGULAR;
}

static cardan_status solve(const cd_problem* p, void* work, const cd_right_sides* rhs, const cd_solution* x,
                           cd_solve_info* where)
{
    const size_t nv = (size_t)p->m->nv, nrow = (size_t)p->rows->nrow;
    const dense* w   = work;
    const int    one = 1;
    int          info;
    memcpy(w->x, rhs->r, nv * sizeof *rhs->r);
    memcpy(w->x + nv, rhs->gamma, nrow * sizeof *rhs->gamma);
    dsytrs_("L", &w->n, &one, w->K, &w->n, w->pivot, w->x, &w->n, &info);
    memcpy(x->a, w->x, nv * sizeof *x->a);
    memcpy(x->lambda, w->x + nv, nrow * sizeof *x->lambda);
    where->residual_checked = true;
    return CARDAN_OK;
}

const cd_formulation solver_dense = {
    .name        = "dsytrf",
    .summary     = "KKT matrix of maximal coordinates, dense",
    .citation    = "LAPACK",
    .properties  = CD_SUPPORTS_TREES | CD_SUPPORTS_LOOPS,
    .tree_policy = CARDAN_TREE_MAXIMAL,
    .work_size   = sizeof(dense),
    .layout      = layout,
    .assemble    = assemble,
    .factor      = factor,
    .solve       = solve,
};
