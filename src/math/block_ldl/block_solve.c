// SPDX-License-Identifier: BSD-3-Clause
// Solve with the block LDL', in place; like the factorization, each column only gathers.
//
//   forward     t(j) = d(j)^-1 L(j,j)^-1 (b(j) - sum of Z(j,k) t(k))        columns k before j
//   backward    x(j) = L(j,j)^-T (t(j) - d(j)^-1 sum of Z(i,j)' x(i))       rows i below j
//
// In blocks with permuted pivots L(j,j) is P'L. During the solve t and x are stored in elimination order with padding,
// so that memory access is sequential.
#include "math/block_ldl/block_kernels.h"

// y = L^-1 y
CD_KERNEL void solve_lower(const real* L, simd6* y, int s)
{
    real e[CD_BLOCK_MAX_ROWS];
    simd6_to_array(y, e, s);
    CD_UNROLL for (int j = 0; j < s; ++j) CD_UNROLL for (int i = j + 1; i < s; ++i) e[i] =
        r_sub(e[i], r_mul(L[lower_index(i, j, s)], e[j]));
    simd6_from_array(y, e, s);
}

// y = L^-T y
CD_KERNEL void solve_upper(const real* L, simd6* y, int s)
{
    real e[CD_BLOCK_MAX_ROWS];
    simd6_to_array(y, e, s);
    CD_UNROLL for (int i = s - 1; i > 0; --i) CD_UNROLL for (int j = 0; j < i; ++j) e[j] =
        r_sub(e[j], r_mul(L[lower_index(i, j, s)], e[i]));
    simd6_from_array(y, e, s);
}

// Permute to pivot order or back to row order; a cold function, because permuted blocks are rare.
static __attribute__((noinline, cold)) simd6 permuted(const cd_block_ldl* F, int at, simd6 y, bool to_rows)
{
    real e[CD_BLOCK_MAX_ROWS];
    simd6_to_array(&y, e, F->column[at].size);
    if (to_rows)
        cd_block_to_row_order(F, at, e);
    else
        cd_block_to_pivot_order(F, at, e);
    simd6_from_array(&y, e, F->column[at].size);
    return y;
}

CD_KERNEL void forward_column(const cd_block_ldl* F, int at, const real* const* b, int nrhs, int s)
{
    const cd_block_column* j          = &F->column[at];
    const size_t           rhs_stride = (size_t)F->npadded;
    simd6                  y[CD_BLOCK_MAX_RHS], inverse;
    CD_UNROLL for (int k = 0; k < nrhs; ++k) simd6_load_unpadded(&y[k], b[k], s);
    for (int n = j[0].first_update; n < j[1].first_update; ++n) {
        const cd_block_update* g    = &F->update[n];
        const cd_block_column* from = &F->column[g->column];
#define CD_FORWARD(c) forward_update(y, F->value + g->offset, F->rhs + from->padded_offset, rhs_stride, nrhs, s, c)
        CD_DISPATCH_SIZE(from->size, CD_FORWARD)
#undef CD_FORWARD
    }
    simd6_load(&inverse, F->inverse_pivot + j->padded_offset, s);
    CD_UNROLL for (int k = 0; k < nrhs; ++k)
    {
        if (s > 1 && is_permuted(F, at)) y[k] = permuted(F, at, y[k], false);
        if (s > 1 && F->diagonal_state[at] != CD_DIAGONAL_REUSED_UNIT_L)
            solve_lower(F->lower + j->lower_offset, &y[k], s);
        simd6_mul_inverse(&y[k], &inverse, s);
        simd6_store(&y[k], F->rhs + (size_t)k * rhs_stride + j->padded_offset, s);
    }
}

CD_KERNEL void backward_column(const cd_block_ldl* F, int at, real* const* x, int nrhs, int s)
{
    const cd_block_column* j          = &F->column[at];
    const size_t           rhs_stride = (size_t)F->npadded;
    simd6_sum              sum[CD_BLOCK_MAX_RHS][CD_BLOCK_MAX_ROWS];
    simd6                  y, z, inverse;
    CD_UNROLL for (int k = 0; k < nrhs; ++k) CD_UNROLL for (int c = 0; c < s; ++c) simd6_sum_clear(&sum[k][c]);
    for (int i = j[0].first_entry; i < j[1].first_entry; ++i) {
        const real* Z     = F->value + F->entry[i].offset;
        const real* below = F->rhs + F->entry[i].padded_offset;
#define CD_BACKWARD(r) backward_update(sum, Z, below, rhs_stride, nrhs, r, s)
        CD_DISPATCH_SIZE(F->entry[i].nrow, CD_BACKWARD)
#undef CD_BACKWARD
    }
    simd6_load(&inverse, F->inverse_pivot + j->padded_offset, s);
    CD_UNROLL for (int k = 0; k < nrhs; ++k)
    {
        real* t = F->rhs + (size_t)k * rhs_stride + j->padded_offset;
        simd6_sum_reduce(&z, sum[k], s);
        simd6_mul_inverse(&z, &inverse, s);
        simd6_load(&y, t, s);
        simd6_sub(&y, &z, s);
        if (s > 1 && F->diagonal_state[at] != CD_DIAGONAL_REUSED_UNIT_L) solve_upper(F->lower + j->lower_offset, &y, s);
        if (s > 1 && is_permuted(F, at)) y = permuted(F, at, y, true);
        simd6_store(&y, t, s);
        if (x[k]) simd6_store_unpadded(&y, x[k], s);
    }
}

#define CD_FORWARD_ONE(s) forward_column(F, k, b, 1, s)
#define CD_FORWARD_TWO(s) forward_column(F, k, b, 2, s)
#define CD_BACKWARD_ONE(s) backward_column(F, k, x, 1, s)
#define CD_BACKWARD_TWO(s) backward_column(F, k, x, 2, s)

void cd_block_forward_column(const cd_block_ldl* F, int k, int nrhs, const real* const b[2])
{
    if (nrhs == 1) {
        CD_DISPATCH_SIZE(F->column[k].size, CD_FORWARD_ONE)
    } else {
        CD_DISPATCH_SIZE(F->column[k].size, CD_FORWARD_TWO)
    }
}

void cd_block_backward_column(const cd_block_ldl* F, int k, int nrhs, real* const x[2])
{
    if (nrhs == 1) {
        CD_DISPATCH_SIZE(F->column[k].size, CD_BACKWARD_ONE)
    } else {
        CD_DISPATCH_SIZE(F->column[k].size, CD_BACKWARD_TWO)
    }
}

typedef struct solve_context {
    const cd_block_ldl* F;
    real*               x[CD_BLOCK_MAX_RHS];
    int                 nrhs;
} solve_context;

static void visit_forward(void* context, int k, cd_block_stats* stats)
{
    const solve_context*   s = context;
    const cd_block_ldl*    F = s->F;
    const cd_block_column* j = &F->column[k];
    (void)stats;
    if (k + CD_BLOCK_PREFETCH_DISTANCE < F->nprefetch) {
        prefetch_column(F, k + CD_BLOCK_PREFETCH_DISTANCE);
        __builtin_prefetch(s->x[0] + j[CD_BLOCK_PREFETCH_DISTANCE].scalar);
    }
    cd_block_forward_column(F, k, s->nrhs,
                            (const real* const[2]){s->x[0] + j->scalar, s->nrhs > 1 ? s->x[1] + j->scalar : NULL});
}

static void visit_backward(void* context, int k, cd_block_stats* stats)
{
    const solve_context*   s = context;
    const cd_block_ldl*    F = s->F;
    const cd_block_column* j = &F->column[k];
    (void)stats;
    if (k >= CD_BLOCK_PREFETCH_DISTANCE && k < F->nprefetch) {
        prefetch_column(F, k - CD_BLOCK_PREFETCH_DISTANCE);
        __builtin_prefetch(s->x[0] + j[-CD_BLOCK_PREFETCH_DISTANCE].scalar);
    }
    cd_block_backward_column(F, k, s->nrhs,
                             (real* const[2]){s->x[0] + j->scalar, s->nrhs > 1 ? s->x[1] + j->scalar : NULL});
}

void cd_block_solve_two(const cd_block_ldl* F, real* x, real* y, cd_threads* threads)
{
    solve_context s = {F, {x, y}, y ? 2 : 1};
    cd_block_sweep_inward(F, visit_forward, &s, threads);
    cd_block_sweep_outward(F, visit_backward, &s, threads);
}

void cd_block_solve(const cd_block_ldl* F, real* x, cd_threads* threads) { cd_block_solve_two(F, x, NULL, threads); }
