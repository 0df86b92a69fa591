// SPDX-License-Identifier: BSD-3-Clause
// Kernels on small dense blocks. Each is written once for any size and instantiated for every pair of sizes up to 6, so
// that the compiler has constants and keeps columns in vector registers. A block of r rows has columns of
// r_padded_rows(r) numbers.
//
//   A = L d L'   diagonal block: its unit lower triangle L by columns, without diagonal, and 1/d (0 for a null pivot),
//                each stored separately
//   Z            blocks below it, multiplied by L^-T, not yet by 1/d
#pragma once

#include "math/block_ldl/block_simd.h"
#include "math/block_ldl/block_ldl.h"
#include "math/block_ldl/row_pivoting.h"

// Return the index of entry (i, j), i > j, of the triangle L of a block of s rows.
CD_KERNEL int lower_index(int i, int j, int s) { return j * (2 * s - j - 1) / 2 + i - j - 1; }

// Prefetch the entries of a later column into the second-level cache: the first level supports few outstanding lines.
// Always inline: the compiler treats a function that only prefetches as free of effects.
CD_KERNEL void prefetch_column(const cd_block_ldl* F, int k)
{
    const char* end = (const char*)(F->value + F->column[k + 1].below_offset);
    for (const char* p = (const char*)(F->value + F->column[k].below_offset); p < end; p += 64)
        __builtin_prefetch(p, 0, 2);
}

// A (r x rj) -= Z (r x s) W', W (rj x s); first: A is not yet initialized and counts as zero
CD_KERNEL void subtract_product(real* restrict A, const real* restrict Z, const real* restrict W, int rj, bool first,
                                int r, int s)
{
    const int n = r_padded_rows(r), m = r_padded_rows(rj);
    simd6     z[CD_BLOCK_MAX_ROWS];
    CD_UNROLL for (int c = 0; c < s; ++c) simd6_load(&z[c], Z + c * n, r);
    for (int j = 0; j < rj; ++j) {
        simd6 sum;
        if (first)
            simd6_clear(&sum);
        else
            simd6_load(&sum, A + j * n, r);
        CD_UNROLL for (int c = 0; c < s; ++c) simd6_sub_scaled(&sum, &z[c], W[c * m + j], 0, r);
        simd6_store(&sum, A + j * n, r);
    }
}

// W = Z d^-1, A (r x r, lower) -= Z W'; subtracted += changes of the diagonal of A
CD_KERNEL void subtract_symmetric(real* restrict A, const real* restrict Z, const real* restrict inverse,
                                  real* restrict W, double* restrict subtracted, int r, int s)
{
    const int n = r_padded_rows(r);
    simd6     z[CD_BLOCK_MAX_ROWS];
    CD_UNROLL for (int c = 0; c < s; ++c)
    {
        simd6 w;
        simd6_load(&z[c], Z + c * n, r);
        simd6_scale_inverse(&w, &z[c], inverse[c], r);
        simd6_store(&w, W + c * n, r);
    }
    CD_UNROLL for (int j = 0; j < r; ++j)
    {
        const double before = r_value(A[j * n + j]);
        simd6        sum;
        simd6_load(&sum, A + j * n, r);
        CD_UNROLL for (int c = 0; c < s; ++c) simd6_sub_scaled(&sum, &z[c], W[c * n + j], r_first_row(j), r);
        simd6_store(&sum, A + j * n, r);
        subtracted[j] += fabs(before - r_value(A[j * n + j]));
    }
}

// B (r x s) becomes Z = B L^-T.
CD_KERNEL void solve_triangle(const real* restrict L, real* restrict B, int r, int s)
{
    const int n = r_padded_rows(r);
    simd6     z[CD_BLOCK_MAX_ROWS];
    CD_UNROLL for (int j = 0; j < s; ++j)
    {
        simd6_load(&z[j], B + j * n, r);
        CD_UNROLL for (int c = 0; c < j; ++c) simd6_sub_scaled(&z[j], &z[c], L[lower_index(j, c, s)], 0, r);
        if (j > 0) simd6_store(&z[j], B + j * n, r);
    }
}

// Return whether the pivots of a column are not in row order (block_pivoting.c), which is rare.
CD_KERNEL bool is_permuted(const cd_block_ldl* F, int k)
{
    return __builtin_expect(F->diagonal_state[k] == CD_DIAGONAL_PERMUTED, false);
}

enum { CD_BLOCK_MAX_RHS = 2 }; // maximum of right sides at once

// y (r) -= Z t, for every right side; their t are rhs_stride apart. Z is read once.
CD_KERNEL void forward_update(simd6* y, const real* Z, const real* t, size_t rhs_stride, int nrhs, int r, int s)
{
    const int n = r_padded_rows(r);
    simd6     z, sum[CD_BLOCK_MAX_RHS];
    simd6_load(&z, Z, r);
    CD_UNROLL for (int k = 0; k < nrhs; ++k) simd6_scale(&sum[k], &z, t[(size_t)k * rhs_stride], r);
    CD_UNROLL for (int c = 1; c < s; ++c)
    {
        simd6_load(&z, Z + c * n, r);
        CD_UNROLL for (int k = 0; k < nrhs; ++k)
            simd6_add_scaled(&sum[k], &z, t[(size_t)k * rhs_stride + (size_t)c], r);
    }
    CD_UNROLL for (int k = 0; k < nrhs; ++k) simd6_sub(&y[k], &sum[k], r);
}

// sum (s) += Z' y, for every right side
CD_KERNEL void backward_update(simd6_sum (*sum)[CD_BLOCK_MAX_ROWS], const real* Z, const real* y, size_t rhs_stride,
                               int nrhs, int r, int s)
{
    const int n = r_padded_rows(r);
    simd6     z, below[CD_BLOCK_MAX_RHS];
    CD_UNROLL for (int k = 0; k < nrhs; ++k) simd6_load(&below[k], y + (size_t)k * rhs_stride, r);
    CD_UNROLL for (int c = 0; c < s; ++c)
    {
        simd6_load(&z, Z + c * n, r);
        CD_UNROLL for (int k = 0; k < nrhs; ++k) simd6_sum_add_products(&sum[k][c], &z, &below[k], r);
    }
}

// Scalar LDL' of a diagonal block of sign 1, in registers: the critical path from pivot to pivot consists of the
// divisions and must not become longer. Pivots must be above min_pivot. Returns the row of an invalid pivot, or -1.
CD_KERNEL int factor_positive_block(const real* restrict A, real* restrict L, real* restrict inverse,
                                    const double* restrict min_pivot, int s)
{
    const int n = r_padded_rows(s);
    real      a[CD_BLOCK_MAX_ROWS][CD_BLOCK_MAX_ROWS];
    CD_UNROLL for (int j = 0; j < s; ++j) CD_UNROLL for (int i = j; i < s; ++i) a[j][i] = A[j * n + i];
    CD_UNROLL for (int j = 0; j < s; ++j)
    {
        if (!(r_value(a[j][j]) > min_pivot[j])) return j;
        const real inverse_pivot = r_div(r_const(1), a[j][j]);
        CD_UNROLL for (int k = j + 1; k < s; ++k)
        {
            const real l                                  = r_mul_inv(a[j][k], inverse_pivot);
            CD_UNROLL for (int i = k; i < s; ++i) a[k][i] = r_sub(a[k][i], r_mul(a[j][i], l));
            L[lower_index(k, j, s)]                       = l;
        }
        inverse[j] = inverse_pivot;
    }
    return -1;
}

// LDL' of a diagonal block of sign -1. Pivots are negative, or null relative to what was subtracted from them. Where a
// row is almost a combination of others, as one of two rows that only together are redundant, its small pivot d/s
// leaves round-off of the size eps s/d in the following ones, which is no pivot. A pivot of the wrong sign counts as
// round-off up to a larger fraction.
CD_KERNEL int factor_negative_block(const real* restrict A, real* restrict L, real* restrict inverse, double tolerance,
                                    double min_pivot, double* restrict subtracted, bool* restrict null, int s)
{
    const int n             = r_padded_rows(s);
    double    min_pivot_rel = 1, min_pivot_scale = 1; // smallest pivot so far and its scale
    real      a[CD_BLOCK_MAX_ROWS][CD_BLOCK_MAX_ROWS];
    CD_UNROLL for (int j = 0; j < s; ++j) CD_UNROLL for (int i = j; i < s; ++i) a[j][i] = A[j * n + i];
    CD_UNROLL for (int j = 0; j < s; ++j)
    {
        const double d        = fabs(r_value(a[j][j]));
        const double roundoff = tolerance * min_pivot_rel > cd_pivot_roundoff * min_pivot_scale
                                    ? tolerance * min_pivot_rel
                                    : cd_pivot_roundoff * min_pivot_scale;
        const bool   is_null  = d <= min_pivot || d * min_pivot_rel <= roundoff * subtracted[j] ||
                             (r_value(a[j][j]) > 0 && d <= cd_pivot_wrong_sign_tolerance * subtracted[j]);
        if (!is_null && !(r_value(a[j][j]) < 0)) return j;
        if (!is_null && d * min_pivot_scale < min_pivot_rel * subtracted[j]) {
            min_pivot_rel   = d;
            min_pivot_scale = subtracted[j];
        }
        const real inverse_pivot = is_null ? r_const(0) : r_div(r_const(1), a[j][j]);
        null[j]                  = is_null;
        CD_UNROLL for (int k = j + 1; k < s; ++k)
        {
            const real l    = r_mul_inv(a[j][k], inverse_pivot);
            const real drop = r_mul(a[j][k], l);
            subtracted[k] += fabs(r_value(drop));
            a[k][k]                                           = r_sub(a[k][k], drop);
            CD_UNROLL for (int i = k + 1; i < s; ++i) a[k][i] = r_sub(a[k][i], r_mul(a[j][i], l));
            L[lower_index(k, j, s)]                           = l;
        }
        inverse[j] = inverse_pivot;
    }
    return -1;
}

// Expand X for every r from 1 to 6 with a size s.
#define CD_FOR_EACH_ROW_COUNT(X, s) X(1, s) X(2, s) X(3, s) X(4, s) X(5, s) X(6, s)
#define CD_FOR_EACH_SIZE_PAIR(X)                                                                                       \
    CD_FOR_EACH_ROW_COUNT(X, 1)                                                                                        \
    CD_FOR_EACH_ROW_COUNT(X, 2)                                                                                        \
    CD_FOR_EACH_ROW_COUNT(X, 3) CD_FOR_EACH_ROW_COUNT(X, 4) CD_FOR_EACH_ROW_COUNT(X, 5) CD_FOR_EACH_ROW_COUNT(X, 6)
// Table by (s, r) of functions name_r_s.
#define CD_KERNELS_OF_WIDTH(name, s)                                                                                   \
    {                                                                                                                  \
        NULL, name##_1_##s, name##_2_##s, name##_3_##s, name##_4_##s, name##_5_##s, name##_6_##s                       \
    }
#define CD_KERNEL_TABLE(name)                                                                                          \
    {                                                                                                                  \
        {NULL}, CD_KERNELS_OF_WIDTH(name, 1), CD_KERNELS_OF_WIDTH(name, 2), CD_KERNELS_OF_WIDTH(name, 3),              \
            CD_KERNELS_OF_WIDTH(name, 4), CD_KERNELS_OF_WIDTH(name, 5), CD_KERNELS_OF_WIDTH(name, 6)                   \
    }
// Call with a compile-time size.
#ifdef CD_SIMD
#define CD_DISPATCH_SIZE(size, call)                                                                                   \
    switch (size) {                                                                                                    \
    case 1:                                                                                                            \
        call(1);                                                                                                       \
        break;                                                                                                         \
    case 2:                                                                                                            \
        call(2);                                                                                                       \
        break;                                                                                                         \
    case 3:                                                                                                            \
        call(3);                                                                                                       \
        break;                                                                                                         \
    case 4:                                                                                                            \
        call(4);                                                                                                       \
        break;                                                                                                         \
    case 5:                                                                                                            \
        call(5);                                                                                                       \
        break;                                                                                                         \
    case 6:                                                                                                            \
        call(6);                                                                                                       \
        break;                                                                                                         \
    default:                                                                                                           \
        break;                                                                                                         \
    }
#else
#define CD_DISPATCH_SIZE(size, call) call(size);
#endif
