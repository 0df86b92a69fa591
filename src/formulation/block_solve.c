// SPDX-License-Identifier: BSD-3-Clause
// Solve with the block LDL', in place, in gathers only, as the factorization.
//
//   down    t(j) = d(j)^-1 L(j,j)^-1 (b(j) - sum of Z(j,k) t(k))        columns k before j
//   up      x(j) = L(j,j)^-T (t(j) - d(j)^-1 sum of Z(i,j)' x(i))       rows i below j
//
// In blocks whose pivots have an order of their own, L(j,j) is P'L.
//
// On the way t and x stand in the order of elimination, in whole vectors, so that memory streams.
#include "formulation/block_kernels.h"

// y = L^-1 y
CD_KERNEL void divide_down(const real* L, strip* y, int s)
{
    real e[CD_BLOCK_MOST];
    strip_part(y, e, s);
    CD_UNROLL for (int j = 0; j < s; ++j) CD_UNROLL for (int i = j + 1; i < s; ++i) e[i] =
        r_sub(e[i], r_mul(L[lower_at(i, j, s)], e[j]));
    strip_make(y, e, s);
}

// y = L^-T y
CD_KERNEL void divide_up(const real* L, strip* y, int s)
{
    real e[CD_BLOCK_MOST];
    strip_part(y, e, s);
    CD_UNROLL for (int i = s - 1; i > 0; --i) CD_UNROLL for (int j = 0; j < i; ++j) e[j] =
        r_sub(e[j], r_mul(L[lower_at(i, j, s)], e[i]));
    strip_make(y, e, s);
}

// To the order of pivots, and back to rows; not in the way of what is nearly always done.
static __attribute__((noinline, cold)) strip turned(const cd_block_ldl* F, int at, strip y, bool back)
{
    real e[CD_BLOCK_MOST];
    strip_part(&y, e, F->column[at].size);
    if (back)
        cd_block_to_rows(F, at, e);
    else
        cd_block_to_pivots(F, at, e);
    strip_make(&y, e, F->column[at].size);
    return y;
}

CD_KERNEL void column_down(const cd_block_ldl* F, int at, const real* const* b, int sides, int s)
{
    const cd_block_column* j     = &F->column[at];
    const size_t           apart = (size_t)F->nslot;
    strip                  y[CD_BLOCK_SIDES], inverse;
    CD_UNROLL for (int k = 0; k < sides; ++k) strip_read_rows(&y[k], b[k], s);
    for (int n = j[0].gather; n < j[1].gather; ++n) {
        const cd_block_gather* g    = &F->gather[n];
        const cd_block_column* from = &F->column[g->column];
#define CD_DOWN(c) solve_down(y, F->value + g->at, F->t + from->slot, apart, sides, s, c)
        CD_EVERY_SIZE(from->size, CD_DOWN)
#undef CD_DOWN
    }
    strip_read(&inverse, F->inverse + j->slot, s);
    CD_UNROLL for (int k = 0; k < sides; ++k)
    {
        if (s > 1 && is_turned(F, at)) y[k] = turned(F, at, y[k], false);
        if (s > 1 && F->held[at] != CD_BLOCK_PLAIN) divide_down(F->lower + j->lower, &y[k], s);
        strip_over_each(&y[k], &inverse, s);
        strip_write(&y[k], F->t + (size_t)k * apart + j->slot, s);
    }
}

CD_KERNEL void column_up(const cd_block_ldl* F, int at, real* const* x, int sides, int s)
{
    const cd_block_column* j     = &F->column[at];
    const size_t           apart = (size_t)F->nslot;
    sum_apart              sum[CD_BLOCK_SIDES][CD_BLOCK_MOST];
    strip                  y, z, inverse;
    CD_UNROLL for (int k = 0; k < sides; ++k) CD_UNROLL for (int c = 0; c < s; ++c) sum_clear(&sum[k][c]);
    for (int i = j[0].entry; i < j[1].entry; ++i) {
        const real* Z     = F->value + F->below[i].at;
        const real* below = F->t + F->below[i].slot;
#define CD_UP(r) solve_up(sum, Z, below, apart, sides, r, s)
        CD_EVERY_SIZE(F->below[i].rows, CD_UP)
#undef CD_UP
    }
    strip_read(&inverse, F->inverse + j->slot, s);
    CD_UNROLL for (int k = 0; k < sides; ++k)
    {
        real* t = F->t + (size_t)k * apart + j->slot;
        sum_totals(&z, sum[k], s);
        strip_over_each(&z, &inverse, s);
        strip_read(&y, t, s);
        strip_subtract(&y, &z, s);
        if (s > 1 && F->held[at] != CD_BLOCK_PLAIN) divide_up(F->lower + j->lower, &y, s);
        if (s > 1 && is_turned(F, at)) y = turned(F, at, y, true);
        strip_write(&y, t, s);
        if (x[k]) strip_write_rows(&y, x[k], s);
    }
}

#define CD_DOWN_ONE(s) column_down(F, k, b, 1, s)
#define CD_DOWN_TWO(s) column_down(F, k, b, 2, s)
#define CD_UP_ONE(s) column_up(F, k, x, 1, s)
#define CD_UP_TWO(s) column_up(F, k, x, 2, s)

void cd_block_down(const cd_block_ldl* F, int k, int sides, const real* const b[2])
{
    if (sides == 1) {
        CD_EVERY_SIZE(F->column[k].size, CD_DOWN_ONE)
    } else {
        CD_EVERY_SIZE(F->column[k].size, CD_DOWN_TWO)
    }
}

void cd_block_up(const cd_block_ldl* F, int k, int sides, real* const x[2])
{
    if (sides == 1) {
        CD_EVERY_SIZE(F->column[k].size, CD_UP_ONE)
    } else {
        CD_EVERY_SIZE(F->column[k].size, CD_UP_TWO)
    }
}

typedef struct solving {
    const cd_block_ldl* F;
    real*               x[CD_BLOCK_SIDES];
    int                 sides;
} solving;

static void go_down(void* context, int k, cd_block_met* met)
{
    const solving*         s = context;
    const cd_block_ldl*    F = s->F;
    const cd_block_column* j = &F->column[k];
    (void)met;
    if (k + CD_BLOCK_AHEAD < F->fetched) {
        fetch_column(F, k + CD_BLOCK_AHEAD);
        __builtin_prefetch(s->x[0] + j[CD_BLOCK_AHEAD].scalar);
    }
    cd_block_down(F, k, s->sides,
                  (const real* const[2]){s->x[0] + j->scalar, s->sides > 1 ? s->x[1] + j->scalar : NULL});
}

static void go_up(void* context, int k, cd_block_met* met)
{
    const solving*         s = context;
    const cd_block_ldl*    F = s->F;
    const cd_block_column* j = &F->column[k];
    (void)met;
    if (k >= CD_BLOCK_AHEAD && k < F->fetched) {
        fetch_column(F, k - CD_BLOCK_AHEAD);
        __builtin_prefetch(s->x[0] + j[-CD_BLOCK_AHEAD].scalar);
    }
    cd_block_up(F, k, s->sides, (real* const[2]){s->x[0] + j->scalar, s->sides > 1 ? s->x[1] + j->scalar : NULL});
}

void cd_block_solve_two(const cd_block_ldl* F, real* x, real* y, cd_threads* threads)
{
    solving s = {F, {x, y}, y ? 2 : 1};
    cd_block_inward(F, go_down, &s, threads);
    cd_block_outward(F, go_up, &s, threads);
}

void cd_block_solve(const cd_block_ldl* F, real* x, cd_threads* threads) { cd_block_solve_two(F, x, NULL, threads); }
