// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/delassus.h"

void cd_delassus_layout(const cardan_model* m, const cd_rows* rows, int capacity, cd_arena* arena, cd_delassus_work* w)
{
    CD_ARENA_ARRAY(arena, w->r, m->nv);
    CD_ARENA_ARRAY(arena, w->gamma, rows->nrow);
    CD_ARENA_ARRAY(arena, w->X, (size_t)capacity * (size_t)m->nv);
    CD_ARENA_ARRAY(arena, w->Y, (size_t)capacity * (size_t)rows->nrow);
    CD_ARENA_ARRAY(arena, w->W, (size_t)capacity * (size_t)capacity);
    for (int v = 0; w->r && v < m->nv; ++v) w->r[v] = r_const(0);
    for (int i = 0; w->gamma && i < rows->nrow; ++i) w->gamma[i] = r_const(0);
}

// Add the product of the rows of b with the response x of row j to column j of W, from the diagonal on.
static void multiply_rows(const cd_row_block* b, const real* x, int j, cd_delassus_work* w)
{
    for (int i = b->row > j ? 0 : j - b->row; i < b->nrow; ++i) {
        real sum = r_const(0);
        for (int k = 0; k < b->nv; ++k) sum = r_add(sum, r_mul(b->J[i * b->nv + k], x[b->v[k]]));
        w->W[(b->row + i) * w->nrow + j] = w->W[j * w->nrow + b->row + i] = sum;
    }
}

static void clear(int n, real* x)
{
    for (int i = 0; i < n; ++i) x[i] = r_const(0);
}

// Response to row i of block b.
static cardan_status respond(const cd_formulation* f, const cd_problem* p, void* work, const cd_row_block* b, int i,
                             cd_delassus_work* w, cd_solve_info* info)
{
    real *x = w->X + (size_t)(b->row + i) * (size_t)p->m->nv, *y = w->Y + (size_t)(b->row + i) * (size_t)p->rows->nrow;
    bool  is_zero = true;
    for (int k = 0; k < b->nv; ++k) {
        w->r[b->v[k]] = b->J[i * b->nv + k];
        is_zero       = is_zero && r_value(w->r[b->v[k]]) == 0;
    }
    cardan_status status = CARDAN_OK;
    if (is_zero) {
        clear(p->m->nv, x);
        clear(p->rows->nrow, y);
    } else {
        status = f->solve(p, work, &(cd_right_sides){.r = w->r, .gamma = w->gamma}, &(cd_solution){.a = x, .lambda = y},
                          info);
    }
    for (int k = 0; k < b->nv; ++k) w->r[b->v[k]] = r_const(0);
    return status;
}

cardan_status cd_delassus_compute(const cd_formulation* f, const cd_problem* p, void* work, const cd_rows* other,
                                  cd_delassus_work* w, cd_solve_info* info)
{
    w->nrow = other->nrow;
    for (int c = 0; c < other->nblock; ++c) {
        const cd_row_block* b = &other->block[c];
        for (int i = 0; i < b->nrow; ++i) {
            const cardan_status status = respond(f, p, work, b, i, w, info);
            if (status != CARDAN_OK) return status;
            const real* x = w->X + (size_t)(b->row + i) * (size_t)p->m->nv;
            for (int k = c; k < other->nblock; ++k) multiply_rows(&other->block[k], x, b->row + i, w);
        }
    }
    return CARDAN_OK;
}
