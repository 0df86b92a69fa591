// SPDX-License-Identifier: BSD-3-Clause
// Solve with the block LDL', in place, in gathers only, as the factorization.
//
//   down    t(j) = d(j)^-1 L(j,j)^-1 (b(j) - sum of Z(j,k) t(k))        columns k before j
//   up      x(j) = L(j,j)^-T (t(j) - d(j)^-1 sum of Z(i,j)' x(i))       rows i below j
//
// On the way t and x stand in the order of elimination, in whole vectors, so that memory streams.
#include "formulation/block_kernels.h"

#ifdef CD_VECTORS
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
#else
#define CD_EVERY_SIZE(size, call) call(size);
#endif

typedef struct solving {
    const cd_block_ldl* F;
    real*               x[CD_BLOCK_SIDES];
    int                 sides;
} solving;

// y = L^-1 y
CD_KERNEL void divide_down(const real* L, strip* y, int s)
{
    real e[CD_BLOCK_MOST];
    strip_part(y, e, s);
    CD_UNROLL for (int j = 0; j < s; ++j)
        CD_UNROLL for (int i = j + 1; i < s; ++i) e[i] = r_sub(e[i], r_mul(L[lower_at(i, j, s)], e[j]));
    strip_make(y, e, s);
}

// y = L^-T y
CD_KERNEL void divide_up(const real* L, strip* y, int s)
{
    real e[CD_BLOCK_MOST];
    strip_part(y, e, s);
    CD_UNROLL for (int i = s - 1; i > 0; --i)
        CD_UNROLL for (int j = 0; j < i; ++j) e[j] = r_sub(e[j], r_mul(L[lower_at(i, j, s)], e[i]));
    strip_make(y, e, s);
}

CD_KERNEL void column_down(const solving* w, int at, int sides, int s)
{
    const cd_block_ldl*    F     = w->F;
    const cd_block_column* j     = &F->column[at];
    const size_t           apart = (size_t)F->nslot;
    strip                  y[CD_BLOCK_SIDES], inverse;
    CD_UNROLL for (int k = 0; k < sides; ++k) strip_read_rows(&y[k], w->x[k] + j->scalar, s);
    for (int n = j[0].gather; n < j[1].gather; ++n) {
        const cd_block_gather* g    = &F->gather[n];
        const cd_block_column* from = &F->column[g->column];
#define CD_DOWN(c) solve_down(y, F->value + g->at, F->t + from->slot, apart, sides, s, c)
        CD_EVERY_SIZE(from->size, CD_DOWN)
#undef CD_DOWN
    }
    strip_read(&inverse, F->inverse + j->slot, s);
    CD_UNROLL for (int k = 0; k < sides; ++k) {
        if (s > 1 && F->held[at] != CD_BLOCK_PLAIN) divide_down(F->lower + j->lower, &y[k], s);
        strip_over_each(&y[k], &inverse, s);
        strip_write(&y[k], F->t + (size_t)k * apart + j->slot, s);
    }
}

CD_KERNEL void column_up(const solving* w, int at, int sides, int s)
{
    const cd_block_ldl*    F     = w->F;
    const cd_block_column* j     = &F->column[at];
    const size_t           apart = (size_t)F->nslot;
    sum_apart              sum[CD_BLOCK_SIDES][CD_BLOCK_MOST];
    real                   total[CD_BLOCK_MOST];
    strip                  y, z, inverse;
    CD_UNROLL for (int k = 0; k < sides; ++k)
        CD_UNROLL for (int c = 0; c < s; ++c) sum_clear(&sum[k][c]);
    for (int i = j[0].entry; i < j[1].entry; ++i) {
        const real* Z     = F->value + F->offset[i];
        const real* below = F->t + F->column[F->row[i]].slot;
#define CD_UP(r) solve_up(sum, Z, below, apart, sides, r, s)
        CD_EVERY_SIZE(F->rows[i], CD_UP)
#undef CD_UP
    }
    strip_read(&inverse, F->inverse + j->slot, s);
    CD_UNROLL for (int k = 0; k < sides; ++k) {
        real* t = F->t + (size_t)k * apart + j->slot;
        CD_UNROLL for (int c = 0; c < s; ++c) total[c] = sum_total(&sum[k][c]);
        strip_make(&z, total, s);
        strip_over_each(&z, &inverse, s);
        strip_read(&y, t, s);
        strip_subtract(&y, &z, s);
        if (s > 1 && F->held[at] != CD_BLOCK_PLAIN) divide_up(F->lower + j->lower, &y, s);
        strip_write(&y, t, s);
        strip_write_rows(&y, w->x[k] + j->scalar, s);
    }
}

#define CD_DOWN_ONE(s) column_down(w, k, 1, s)
#define CD_DOWN_TWO(s) column_down(w, k, 2, s)
#define CD_UP_ONE(s)   column_up(w, k, 1, s)
#define CD_UP_TWO(s)   column_up(w, k, 2, s)

static inline void go_down(const solving* w, int k)
{
    const cd_block_ldl* F = w->F;
    if (k + CD_BLOCK_AHEAD < F->fetched) {
        fetch_column(F, k + CD_BLOCK_AHEAD);
        __builtin_prefetch(w->x[0] + F->column[k + CD_BLOCK_AHEAD].scalar);
    }
    if (w->sides == 1) {
        CD_EVERY_SIZE(F->column[k].size, CD_DOWN_ONE)
    } else {
        CD_EVERY_SIZE(F->column[k].size, CD_DOWN_TWO)
    }
}

static inline void go_up(const solving* w, int k)
{
    const cd_block_ldl* F = w->F;
    if (k >= CD_BLOCK_AHEAD && k < F->fetched) {
        fetch_column(F, k - CD_BLOCK_AHEAD);
        __builtin_prefetch(w->x[0] + F->column[k - CD_BLOCK_AHEAD].scalar);
    }
    if (w->sides == 1) {
        CD_EVERY_SIZE(F->column[k].size, CD_UP_ONE)
    } else {
        CD_EVERY_SIZE(F->column[k].size, CD_UP_TWO)
    }
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
    solving s = {F, {x, y}, y ? 2 : 1};
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
