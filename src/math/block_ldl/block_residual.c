// SPDX-License-Identifier: BSD-3-Clause
// Residual of equations whose matrix can be recovered from the factor: if nothing was subtracted from a block of column
// k,
//
//   Z(i,k) = A(i,k) L(k)^-T,    A(i,k) x(k) = Z(i,k) (L(k)'x(k)),    A(i,k)'x(i) = L(k) (Z(i,k)'x(i)).
//
// During the backward substitution Z and x are in cache; the matrix itself has been overwritten.
#include "math/block_ldl/block_kernels.h"
#include "math/norm_inf.h"

// y = L'y
CD_KERNEL void multiply_upper(const real* L, real* y, int s)
{
    CD_UNROLL for (int j = 0; j < s; ++j) CD_UNROLL for (int i = j + 1; i < s; ++i) y[j] =
        r_add(y[j], r_mul(L[lower_index(i, j, s)], y[i]));
}

// y = L y
CD_KERNEL void multiply_lower(const real* L, real* y, int s)
{
    CD_UNROLL for (int i = s - 1; i > 0; --i) CD_UNROLL for (int j = 0; j < i; ++j) y[i] =
        r_add(y[i], r_mul(L[lower_index(i, j, s)], y[j]));
}

// Subtract the product of a block below the diagonal from y, and update the largest magnitude of each row.
CD_KERNEL void residual_below(const real* Z, const real* u, real* y, simd6* size, int r, int s)
{
    const int n = r_padded_rows(r);
    simd6     z, sum, residual;
    simd6_load(&z, Z, r);
    simd6_scale(&sum, &z, u[0], r);
    CD_UNROLL for (int c = 1; c < s; ++c)
    {
        simd6_load(&z, Z + c * n, r);
        simd6_add_scaled(&sum, &z, u[c], r);
    }
    simd6_load(&residual, y, r);
    simd6_sub(&residual, &sum, r);
    simd6_store(&residual, y, r);
    simd6_max_abs(size, &sum, r);
}

CD_KERNEL double residual_of_column(const cd_block_ldl* F, int k, real* y, int s)
{
    const cd_block_column* j           = &F->column[k];
    const bool             has_updates = j[0].first_update < j[1].first_update;
    const real *           x = F->rhs + j->padded_offset, *L = F->lower + j->lower_offset;
    simd6                  size;
    simd6_sum              sum[CD_BLOCK_MAX_RHS][CD_BLOCK_MAX_ROWS];
    double                 largest = 0;
    real                   u[CD_BLOCK_MAX_ROWS], above[CD_BLOCK_MAX_ROWS];
    simd6_clear(&size);
    CD_UNROLL for (int c = 0; c < s; ++c) u[c] = x[c];
    if (s > 1 && is_permuted(F, k)) cd_block_to_pivot_order(F, k, u);
    if (s > 1 && F->diagonal_state[k] != CD_DIAGONAL_REUSED_UNIT_L) multiply_upper(L, u, s);
    CD_UNROLL for (int c = 0; c < s; ++c) simd6_sum_clear(&sum[0][c]);
    for (int i = j[0].first_entry; i < j[1].first_entry; ++i) {
        const cd_block_entry* entry = &F->entry[i];
        if (!entry->is_overwritten) continue;
        const real* Z    = F->value + entry->offset;
        const int   slot = entry->padded_offset, r = entry->nrow;
#define CD_BELOW(r) residual_below(Z, u, y + slot, &size, r, s)
#define CD_ABOVE(r) backward_update(sum, Z, F->rhs + slot, 0, 1, r, s)
        CD_DISPATCH_SIZE(r, CD_BELOW)
        if (has_updates) {
            CD_DISPATCH_SIZE(r, CD_ABOVE)
        }
#undef CD_BELOW
#undef CD_ABOVE
    }
    if (has_updates) {
        simd6 total;
        simd6_sum_reduce(&total, sum[0], s);
        simd6_to_array(&total, above, s);
        multiply_lower(L, above, s);
        if (s > 1 && is_permuted(F, k)) cd_block_to_row_order(F, k, above);
        CD_UNROLL for (int c = 0; c < s; ++c) y[j->padded_offset + c] = r_sub(y[j->padded_offset + c], above[c]);
    }
    simd6_to_array(&size, above, CD_BLOCK_MAX_ROWS);
    for (int i = 0; i < CD_BLOCK_MAX_ROWS; ++i) largest = cd_max(largest, r_value(above[i]));
    return largest;
}

double cd_block_residual_column(const cd_block_ldl* F, int k, real* y)
{
    double size = 0;
#define CD_COLUMN(s) size = residual_of_column(F, k, y, s)
    CD_DISPATCH_SIZE(F->column[k].size, CD_COLUMN)
#undef CD_COLUMN
    return size;
}
