// SPDX-License-Identifier: BSD-3-Clause
// Kernels on small dense blocks. Each is written once for any size and instantiated for every pair of sizes up to 6, so
// that the compiler sees constants and keeps columns in vector registers. A block of r rows has columns of r_lanes(r)
// numbers.
//
//   A = L d L'   diagonal block: its unit lower triangle L by columns, without diagonal, and 1/d (0 for a null pivot),
//                each in memory of its own
//   Z            entries below it, already times L^-T, not yet times 1/d
#pragma once

#include "formulation/block_lanes.h"
#include "formulation/block_ldl.h"
#include "formulation/row_pivots.h"

// Where entry (i, j), i > j, of the triangle L of a block of s rows stands.
CD_KERNEL int lower_at(int i, int j, int s) { return j * (2 * s - j - 1) / 2 + i - j - 1; }

// Entries of a column that will be wanted soon, into the second cache: the first one has few lines under way at a time.
// Inlined always: a function that only does this seems to do nothing.
CD_KERNEL void fetch_column(const cd_block_ldl* F, int k)
{
    const char* end = (const char*)(F->value + F->column[k + 1].first);
    for (const char* p = (const char*)(F->value + F->column[k].first); p < end; p += 64) __builtin_prefetch(p, 0, 2);
}

// A (r x rj) -= Z (r x s) W', W (rj x s); first: A is nothing yet
CD_KERNEL void subtract_product(real* restrict A, const real* restrict Z, const real* restrict W, int rj, bool first,
                                int r, int s)
{
    const int n = r_lanes(r), m = r_lanes(rj);
    strip     z[CD_BLOCK_MOST];
    CD_UNROLL for (int c = 0; c < s; ++c) strip_read(&z[c], Z + c * n, r);
    for (int j = 0; j < rj; ++j) {
        strip sum;
        if (first)
            strip_clear(&sum);
        else
            strip_read(&sum, A + j * n, r);
        CD_UNROLL for (int c = 0; c < s; ++c) strip_drop(&sum, &z[c], W[c * m + j], 0, r);
        strip_write(&sum, A + j * n, r);
    }
}

// W = Z d^-1, A (r x r, lower) -= Z W'; taken: what left the diagonal of A.
CD_KERNEL void subtract_square(real* restrict A, const real* restrict Z, const real* restrict inverse, real* restrict W,
                               double* restrict taken, int r, int s)
{
    const int n = r_lanes(r);
    strip     z[CD_BLOCK_MOST];
    CD_UNROLL for (int c = 0; c < s; ++c)
    {
        strip w;
        strip_read(&z[c], Z + c * n, r);
        strip_over(&w, &z[c], inverse[c], r);
        strip_write(&w, W + c * n, r);
    }
    CD_UNROLL for (int j = 0; j < r; ++j)
    {
        const double before = r_value(A[j * n + j]);
        strip        sum;
        strip_read(&sum, A + j * n, r);
        CD_UNROLL for (int c = 0; c < s; ++c) strip_drop(&sum, &z[c], W[c * n + j], r_from(j), r);
        strip_write(&sum, A + j * n, r);
        taken[j] += fabs(before - r_value(A[j * n + j]));
    }
}

// B (r x s) becomes Z = B L^-T.
CD_KERNEL void divide_triangle(const real* restrict L, real* restrict B, int r, int s)
{
    const int n = r_lanes(r);
    strip     z[CD_BLOCK_MOST];
    CD_UNROLL for (int j = 0; j < s; ++j)
    {
        strip_read(&z[j], B + j * n, r);
        CD_UNROLL for (int c = 0; c < j; ++c) strip_drop(&z[j], &z[c], L[lower_at(j, c, s)], 0, r);
        if (j > 0) strip_write(&z[j], B + j * n, r);
    }
}

// A column whose pivots are not in the order of its rows (block_choose.c): hardly ever.
CD_KERNEL bool is_turned(const cd_block_ldl* F, int k)
{
    return __builtin_expect(F->held[k] == CD_BLOCK_TURNED, false);
}

enum { CD_BLOCK_SIDES = 2 }; // right sides at once

// y (r) -= Z t, for every right side; their t stand `apart`. Z is read once.
CD_KERNEL void solve_down(strip* y, const real* Z, const real* t, size_t apart, int sides, int r, int s)
{
    const int n = r_lanes(r);
    strip     z, sum[CD_BLOCK_SIDES];
    strip_read(&z, Z, r);
    CD_UNROLL for (int k = 0; k < sides; ++k) strip_times(&sum[k], &z, t[(size_t)k * apart], r);
    CD_UNROLL for (int c = 1; c < s; ++c)
    {
        strip_read(&z, Z + c * n, r);
        CD_UNROLL for (int k = 0; k < sides; ++k) strip_lift(&sum[k], &z, t[(size_t)k * apart + (size_t)c], r);
    }
    CD_UNROLL for (int k = 0; k < sides; ++k) strip_subtract(&y[k], &sum[k], r);
}

// sum (s) += Z' y, for every right side
CD_KERNEL void solve_up(sum_apart (*sum)[CD_BLOCK_MOST], const real* Z, const real* y, size_t apart, int sides, int r,
                        int s)
{
    const int n = r_lanes(r);
    strip     z, below[CD_BLOCK_SIDES];
    CD_UNROLL for (int k = 0; k < sides; ++k) strip_read(&below[k], y + (size_t)k * apart, r);
    CD_UNROLL for (int c = 0; c < s; ++c)
    {
        strip_read(&z, Z + c * n, r);
        CD_UNROLL for (int k = 0; k < sides; ++k) sum_products(&sum[k][c], &z, &below[k], r);
    }
}

// Scalar LDL' of a diagonal block. In registers: the way from pivot to pivot is as long as its divisions, and nothing
// may be added to it. A body's pivots must be above `least`. Returns the row of a bad pivot, or -1.
CD_KERNEL int factor_body(const real* restrict A, real* restrict L, real* restrict inverse,
                          const double* restrict least, int s)
{
    const int n = r_lanes(s);
    real      a[CD_BLOCK_MOST][CD_BLOCK_MOST];
    CD_UNROLL for (int j = 0; j < s; ++j) CD_UNROLL for (int i = j; i < s; ++i) a[j][i] = A[j * n + i];
    CD_UNROLL for (int j = 0; j < s; ++j)
    {
        if (!(r_value(a[j][j]) > least[j])) return j;
        const real invert = r_div(r_lift(1), a[j][j]);
        CD_UNROLL for (int k = j + 1; k < s; ++k)
        {
            const real l                                  = r_over(a[j][k], invert);
            CD_UNROLL for (int i = k; i < s; ++i) a[k][i] = r_sub(a[k][i], r_mul(a[j][i], l));
            L[lower_at(k, j, s)]                          = l;
        }
        inverse[j] = invert;
    }
    return -1;
}

// A joint's pivots are negative, or null against what was taken from them. Where a row is almost a combination of
// others, as one of two rows that only together repeat others, its small pivot d/s leaves rounding of the size eps s/d
// in those after it, which is no pivot. A pivot of the wrong sign is rounding too, up to a larger part.
CD_KERNEL int factor_joint(const real* restrict A, real* restrict L, real* restrict inverse, double tolerance,
                           double least, double* restrict taken, bool* restrict null, int s)
{
    const int n    = r_lanes(s);
    double    weak = 1, of = 1; // smallest pivot so far, relative
    real      a[CD_BLOCK_MOST][CD_BLOCK_MOST];
    CD_UNROLL for (int j = 0; j < s; ++j) CD_UNROLL for (int i = j; i < s; ++i) a[j][i] = A[j * n + i];
    CD_UNROLL for (int j = 0; j < s; ++j)
    {
        const double d     = fabs(r_value(a[j][j]));
        const double noise = tolerance * weak > cd_pivot_noise * of ? tolerance * weak : cd_pivot_noise * of;
        const bool   none =
            d <= least || d * weak <= noise * taken[j] || (r_value(a[j][j]) > 0 && d <= cd_pivot_wrong * taken[j]);
        if (!none && !(r_value(a[j][j]) < 0)) return j;
        if (!none && d * of < weak * taken[j]) {
            weak = d;
            of   = taken[j];
        }
        const real invert = none ? r_lift(0) : r_div(r_lift(1), a[j][j]);
        null[j]           = none;
        CD_UNROLL for (int k = j + 1; k < s; ++k)
        {
            const real l    = r_over(a[j][k], invert);
            const real drop = r_mul(a[j][k], l);
            taken[k] += fabs(r_value(drop));
            a[k][k]                                           = r_sub(a[k][k], drop);
            CD_UNROLL for (int i = k + 1; i < s; ++i) a[k][i] = r_sub(a[k][i], r_mul(a[j][i], l));
            L[lower_at(k, j, s)]                              = l;
        }
        inverse[j] = invert;
    }
    return -1;
}

// For every r from 1 to 6 with a size s.
#define CD_SIZES(X, s) X(1, s) X(2, s) X(3, s) X(4, s) X(5, s) X(6, s)
#define CD_PAIRS(X) CD_SIZES(X, 1) CD_SIZES(X, 2) CD_SIZES(X, 3) CD_SIZES(X, 4) CD_SIZES(X, 5) CD_SIZES(X, 6)
// A table by (r, s) of functions name_r_s.
#define CD_ROW_OF(name, s)                                                                                             \
    {                                                                                                                  \
        NULL, name##_1_##s, name##_2_##s, name##_3_##s, name##_4_##s, name##_5_##s, name##_6_##s                       \
    }
#define CD_TABLE_OF(name)                                                                                              \
    {                                                                                                                  \
        {NULL}, CD_ROW_OF(name, 1), CD_ROW_OF(name, 2), CD_ROW_OF(name, 3), CD_ROW_OF(name, 4), CD_ROW_OF(name, 5),    \
            CD_ROW_OF(name, 6)                                                                                         \
    }
// A call with a size that the compiler knows.
#ifdef CD_VECTORS
#define CD_EVERY_SIZE(size, call)                                                                                      \
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
#define CD_EVERY_SIZE(size, call) call(size);
#endif
