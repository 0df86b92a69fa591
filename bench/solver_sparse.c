// SPDX-License-Identifier: BSD-3-Clause
// KKT matrix of maximal coordinates by SuiteSparse: ordered by AMD once, LDL' without pivoting by LDL. A general order
// may eliminate constraint rows before their bodies; so that pivots exist, constraints get -1e-8 on the diagonal, and
// iterations correct its effect.
#include "full_step.h"

#include <stdlib.h>
#include <string.h>
#include <suitesparse/amd.h>
#include <suitesparse/ldl.h>

static const double pivot = 1e-8;

// Upper triangle by columns; L by columns.
typedef struct sparse {
    int     n, *start, *row;
    int *   order, *inverse, *parent, *L_start, *L_count, *L_row, *pattern, *flag;
    double *value, *L, *D, *y, *x, *b;
} sparse;

// Fill the matrix column by column: inertias, then constraint rows with their diagonal. `value` NULL: the pattern; else
// the values.
static int fill(const cardan_model* m, const cd_rows* rows, sparse* w, bool numbers)
{
    int at = 0;
    for (int v = 0; v < m->nv; ++v) {
        const cd_link* link    = &m->link[v / 6];
        const double*  I       = link->I;
        const double   J[3][3] = {{I[0], I[3], I[4]}, {I[3], I[1], I[5]}, {I[4], I[5], I[2]}};
        const int      k       = v % 6;
        for (int a = k < 3 ? k : 3; a <= k; ++a, ++at) {
            if (numbers)
                w->value[at] = k < 3 ? link->m : J[a - 3][k - 3];
            else if (w->row)
                w->row[at] = v - k + a;
        }
        if (!numbers) w->start[v + 1] = at;
    }
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        for (int i = 0; i < b->nrow; ++i) {
            for (int j = 0; j < b->nv; ++j, ++at) {
                if (numbers)
                    w->value[at] = b->J[i * b->nv + j];
                else if (w->row)
                    w->row[at] = b->v[j];
            }
            if (numbers)
                w->value[at] = -pivot - (rows->compliance ? rows->compliance[b->row + i] : 0);
            else if (w->row)
                w->row[at] = m->nv + b->row + i;
            ++at;
            if (!numbers) w->start[m->nv + b->row + i + 1] = at;
        }
    }
    return at;
}

static cardan_status analyse(const cardan_model* m, const cd_rows* rows, void* work, cardan_report* report)
{
    sparse* w           = work;
    w->n                = m->nv + rows->nrow;
    const size_t n      = (size_t)w->n;
    int** const  ints[] = {&w->order, &w->inverse, &w->parent, &w->L_count, &w->pattern, &w->flag};
    for (size_t i = 0; i < sizeof ints / sizeof *ints; ++i) *ints[i] = cd_allocate(n, sizeof(int));
    w->start                 = cd_allocate(n + 1, sizeof(int));
    w->L_start               = cd_allocate(n + 1, sizeof(int));
    double** const doubles[] = {&w->D, &w->y, &w->x, &w->b};
    for (size_t i = 0; i < sizeof doubles / sizeof *doubles; ++i) *doubles[i] = cd_allocate(n, sizeof(double));
    const size_t entries = (size_t)fill(m, rows, w, false);
    w->row               = cd_allocate(entries, sizeof(int));
    w->value             = cd_allocate(entries, sizeof(double));
    fill(m, rows, w, false);
    if (amd_order(w->n, w->start, w->row, w->order, NULL, NULL) < AMD_OK)
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                           "AMD finds no ordering");
    ldl_symbolic(w->n, w->start, w->row, w->L_start, w->parent, w->L_count, w->flag, w->order, w->inverse);
    w->L_row = cd_allocate((size_t)w->L_start[n], sizeof(int));
    w->L     = cd_allocate((size_t)w->L_start[n], sizeof(double));
    return CARDAN_OK;
}

static void release(void* work)
{
    sparse*     w     = work;
    void* const all[] = {w->start,   w->row,  w->order, w->inverse, w->parent, w->L_start, w->L_count, w->L_row,
                         w->pattern, w->flag, w->value, w->L,       w->D,      w->y,       w->x,       w->b};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) free(all[i]);
}

static void layout(const cardan_model* m, const cd_rows* rows, cd_arena* arena, void* work)
{
    (void)m, (void)rows, (void)arena, (void)work;
}

static void assemble(const cd_problem* p, void* work) { fill(p->m, p->rows, work, true); }

static cardan_status factor(const cd_problem* p, void* work, cd_solve_info* where)
{
    (void)p, (void)where;
    sparse*   w    = work;
    const int done = ldl_numeric(w->n, w->start, w->row, w->value, w->L_start, w->parent, w->L_count, w->L_row, w->L,
                                 w->D, w->y, w->pattern, w->flag, w->order, w->inverse);
    return done == w->n ? CARDAN_OK : CARDAN_SINGULAR;
}

static cardan_status solve(const cd_problem* p, void* work, const cd_right_sides* rhs, const cd_solution* x,
                           cd_solve_info* where)
{
    const size_t nv = (size_t)p->m->nv, nrow = (size_t)p->rows->nrow;
    sparse*      w = work;
    memcpy(w->b, rhs->r, nv * sizeof *rhs->r);
    memcpy(w->b + nv, rhs->gamma, nrow * sizeof *rhs->gamma);
    ldl_perm(w->n, w->x, w->b, w->order);
    ldl_lsolve(w->n, w->x, w->L_start, w->L_row, w->L);
    ldl_dsolve(w->n, w->x, w->D);
    ldl_ltsolve(w->n, w->x, w->L_start, w->L_row, w->L);
    ldl_permt(w->n, w->b, w->x, w->order);
    memcpy(x->a, w->b, nv * sizeof *x->a);
    memcpy(x->lambda, w->b + nv, nrow * sizeof *x->lambda);
    where->residual_checked = true;
    return CARDAN_OK;
}

const cd_formulation solver_sparse = {
    .name        = "ldl",
    .summary     = "KKT matrix of maximal coordinates by SuiteSparse",
    .citation    = "Davis 2005, ACM Trans. Math. Software 31(4)",
    .properties  = CD_SUPPORTS_TREES | CD_SUPPORTS_LOOPS,
    .tree_policy = CARDAN_TREE_MAXIMAL,
    .work_size   = sizeof(sparse),
    .analyse     = analyse,
    .release     = release,
    .layout      = layout,
    .assemble    = assemble,
    .factor      = factor,
    .solve       = solve,
};
