// SPDX-License-Identifier: BSD-3-Clause
// Solve with the block LDL', in place, in gathers only, as the factorization.
//
//   down    t(j) = d(j)^-1 L(j,j)^-1 (b(j) - sum of Z(j,k) t(k))        columns k before j
//   up      x(j) = L(j,j)^-T (t(j) - d(j)^-1 sum of Z(i,j)' x(i))       rows i below j
#include "formulation/block_kernels.h"

typedef void down_kernel(const real* Z, const real* t, real* y);
typedef void up_kernel(const real* Z, const real* y, real* t);
typedef void two_kernel(const real* Z, const real* a, real* b, const real* c, real* d); // either, for two right sides

#define CD_DEFINE(r, s)                                                                                   \
    static void down_##r##_##s(const real* Z, const real* t, real* y) { solve_down(Z, t, y, r, s); }      \
    static void up_##r##_##s(const real* Z, const real* y, real* t) { solve_up(Z, y, t, r, s); }          \
    static void down_two_##r##_##s(const real* Z, const real* a, real* b, const real* c, real* d)         \
    {                                                                                                     \
        solve_down(Z, a, b, r, s);                                                                        \
        solve_down(Z, c, d, r, s);                                                                        \
    }                                                                                                     \
    static void up_two_##r##_##s(const real* Z, const real* a, real* b, const real* c, real* d)           \
    {                                                                                                     \
        solve_up(Z, a, b, r, s);                                                                          \
        solve_up(Z, c, d, r, s);                                                                          \
    }
CD_PAIRS(CD_DEFINE)
#undef CD_DEFINE

// By columns, then rows.
static down_kernel* const down[CD_BLOCK_MOST + 1][CD_BLOCK_MOST + 1] = CD_TABLE_OF(down);
static up_kernel* const   up[CD_BLOCK_MOST + 1][CD_BLOCK_MOST + 1]   = CD_TABLE_OF(up);
static two_kernel* const  down_two[CD_BLOCK_MOST + 1][CD_BLOCK_MOST + 1] = CD_TABLE_OF(down_two);
static two_kernel* const  up_two[CD_BLOCK_MOST + 1][CD_BLOCK_MOST + 1]   = CD_TABLE_OF(up_two);

CD_KERNEL void finish_down(const real* D, real* y, int s)
{
    const int n = r_lanes(s);
    for (int j = 0; j < s; ++j)
        for (int i = j + 1; i < s; ++i) y[i] = r_sub(y[i], r_mul(D[j * n + i], y[j]));
    for (int i = 0; i < s; ++i) y[i] = r_over(y[i], D[i * n + i]);
}

CD_KERNEL void finish_up(const real* D, const real* sum, real* y, int s)
{
    const int n = r_lanes(s);
    for (int j = 0; j < s; ++j) y[j] = r_sub(y[j], r_over(sum[j], D[j * n + j]));
    for (int i = s - 1; i > 0; --i)
        for (int j = 0; j < i; ++j) y[j] = r_sub(y[j], r_mul(D[j * n + i], y[i]));
}

#define CD_EVERY_SIZE(size, call)   \
    switch (size) {                 \
        case 1: call(1); break;     \
        case 2: call(2); break;     \
        case 3: call(3); break;     \
        case 4: call(4); break;     \
        case 5: call(5); break;     \
        case 6: call(6); break;     \
        default: break;             \
    }

static void column_down(const cd_block_ldl* F, int at, real* x)
{
    const cd_block_column* j = &F->column[at];
    const real*            D = F->value + j->at;
    real*                  y = x + j->scalar;
    for (int n = j[0].gather; n < j[1].gather; ++n) {
        const cd_block_gather* g = &F->gather[n];
        const cd_block_column* k = &F->column[g->column];
        down[k->size][j->size](F->value + g->at, x + k->scalar, y);
    }
#define CD_FINISH(s) finish_down(D, y, s)
    CD_EVERY_SIZE(j->size, CD_FINISH)
#undef CD_FINISH
}

static void column_up(const cd_block_ldl* F, int at, real* x)
{
    const cd_block_column* j   = &F->column[at];
    const real*            D   = F->value + j->at;
    real                   sum[CD_BLOCK_MOST];
    real*                  y   = x + j->scalar;
    for (int i = 0; i < CD_BLOCK_MOST; ++i) sum[i] = r_lift(0);
    for (int i = j[0].entry; i < j[1].entry; ++i)
        up[j->size][F->rows[i]](F->value + F->offset[i], x + F->column[F->row[i]].scalar, sum);
#define CD_FINISH(s) finish_up(D, sum, y, s)
    CD_EVERY_SIZE(j->size, CD_FINISH)
#undef CD_FINISH
}

typedef struct solving {
    const cd_block_ldl* F;
    real *              x, *y;
} solving;

static void down_both(const solving* s, int at)
{
    const cd_block_ldl*    F = s->F;
    const cd_block_column* j = &F->column[at];
    const real*            D = F->value + j->at;
    real *                 u = s->x + j->scalar, *v = s->y + j->scalar;
    for (int n = j[0].gather; n < j[1].gather; ++n) {
        const cd_block_gather* g = &F->gather[n];
        const cd_block_column* k = &F->column[g->column];
        down_two[k->size][j->size](F->value + g->at, s->x + k->scalar, u, s->y + k->scalar, v);
    }
#define CD_FINISH(s) finish_down(D, u, s), finish_down(D, v, s)
    CD_EVERY_SIZE(j->size, CD_FINISH)
#undef CD_FINISH
}

static void up_both(const solving* s, int at)
{
    const cd_block_ldl*    F = s->F;
    const cd_block_column* j = &F->column[at];
    const real*            D = F->value + j->at;
    real                   sum[CD_BLOCK_MOST], other[CD_BLOCK_MOST];
    real *                 u = s->x + j->scalar, *v = s->y + j->scalar;
    for (int i = 0; i < CD_BLOCK_MOST; ++i) sum[i] = other[i] = r_lift(0);
    for (int i = j[0].entry; i < j[1].entry; ++i) {
        const int below = F->column[F->row[i]].scalar;
        up_two[j->size][F->rows[i]](F->value + F->offset[i], s->x + below, sum, s->y + below, other);
    }
#define CD_FINISH(s) finish_up(D, sum, u, s), finish_up(D, other, v, s)
    CD_EVERY_SIZE(j->size, CD_FINISH)
#undef CD_FINISH
}

static inline void go_down(const solving* s, int k)
{
    if (s->y) down_both(s, k);
    else column_down(s->F, k, s->x);
}

static inline void go_up(const solving* s, int k)
{
    if (s->y) up_both(s, k);
    else column_up(s->F, k, s->x);
}

static void down_task(void* context, int task)
{
    const solving* s = context;
    for (int k = s->F->task[task].first; k < s->F->task[task].last; ++k) go_down(s, k);
}

static void up_task(void* context, int task)
{
    const solving* s = context;
    for (int k = s->F->task[task].last - 1; k >= s->F->task[task].first; --k) go_up(s, k);
}

void cd_block_solve_two(const cd_block_ldl* F, real* x, real* y, cd_threads* threads)
{
    solving s = {F, x, y};
    if (!threads || F->work < cd_block_worth_threads) {
        for (int k = 0; k < F->nblock; ++k) go_down(&s, k);
        for (int k = F->nblock - 1; k >= 0; --k) go_up(&s, k);
        return;
    }
    cd_threads_run(threads, F->ntask, down_task, &s);
    for (int i = 0; i < F->nabove; ++i) go_down(&s, F->above[i]);
    for (int i = F->nabove - 1; i >= 0; --i) go_up(&s, F->above[i]);
    cd_threads_run(threads, F->ntask, up_task, &s);
}

void cd_block_solve(const cd_block_ldl* F, real* x, cd_threads* threads) { cd_block_solve_two(F, x, NULL, threads); }
