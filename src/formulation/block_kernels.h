// SPDX-License-Identifier: BSD-3-Clause
// Kernels on small dense blocks. Each is written once for any size and instantiated for every pair of sizes up to 6, so that the compiler
// sees constants and keeps columns in vector registers. A block of r rows has columns of r_lanes(r) numbers.
//
//   D   diagonal block: unit lower triangle L, and 1/d on the diagonal (0 for a null pivot)
//   Z   entries below it, already times L^-T, not yet times 1/d
#pragma once

#include "formulation/block_ldl.h"

#define CD_KERNEL static inline __attribute__((always_inline))
#ifdef __clang__
#define CD_UNROLL  // does so by itself, and warns where it is asked to
#else
#define CD_UNROLL _Pragma("GCC unroll 8")
#endif

enum { LANES_MOST = 8 };

// A (r x rj) -= Z (r x s) W', W (rj x s)
CD_KERNEL void subtract_product(real* restrict A, const real* restrict Z, const real* restrict W, int rj, int r, int s)
{
    const int n = r_lanes(r), m = r_lanes(rj);
    for (int j = 0; j < rj; ++j) {
        real sum[LANES_MOST];
        for (int i = 0; i < n; ++i) sum[i] = A[j * n + i];
        for (int c = 0; c < s; ++c)
            for (int i = 0; i < n; ++i) sum[i] = r_sub(sum[i], r_mul(Z[c * n + i], W[c * m + j]));
        for (int i = 0; i < n; ++i) A[j * n + i] = sum[i];
    }
}

// W = Z d^-1, A (r x r, lower) -= Z W'; taken: what left the diagonal of A.
CD_KERNEL void subtract_square(real* restrict A, const real* restrict Z, const real* restrict D, real* restrict W, double* restrict taken, int r, int s)
{
    const int n = r_lanes(r), m = r_lanes(s);
    for (int c = 0; c < s; ++c)
        for (int i = 0; i < n; ++i) W[c * n + i] = r_over(Z[c * n + i], D[c * m + c]);
    for (int j = 0; j < r; ++j) {
        const double before = r_value(A[j * n + j]);
        real         sum[LANES_MOST];
        for (int i = r_from(j); i < n; ++i) sum[i] = A[j * n + i];
        for (int c = 0; c < s; ++c)
            for (int i = r_from(j); i < n; ++i) sum[i] = r_sub(sum[i], r_mul(Z[c * n + i], W[c * n + j]));
        for (int i = r_from(j); i < n; ++i) A[j * n + i] = sum[i];
        taken[j] += fabs(before - r_value(sum[j]));
    }
}

// B (r x s) becomes Z = B L^-T.
CD_KERNEL void divide_triangle(const real* restrict D, real* restrict B, int r, int s)
{
    const int n = r_lanes(r), m = r_lanes(s);
    for (int j = 1; j < s; ++j) {
        real sum[LANES_MOST];
        for (int i = 0; i < n; ++i) sum[i] = B[j * n + i];
        for (int c = 0; c < j; ++c)
            for (int i = 0; i < n; ++i) sum[i] = r_sub(sum[i], r_mul(B[c * n + i], D[c * m + j]));
        for (int i = 0; i < n; ++i) B[j * n + i] = sum[i];
    }
}

// y (r) -= Z t
CD_KERNEL void solve_down(const real* restrict Z, const real* restrict t, real* restrict y, int r, int s)
{
    const int n = r_lanes(r);
    real      sum[LANES_MOST];
    for (int i = 0; i < r; ++i) sum[i] = y[i];
    for (int i = r; i < n; ++i) sum[i] = r_lift(0);
    for (int c = 0; c < s; ++c)
        for (int i = 0; i < n; ++i) sum[i] = r_sub(sum[i], r_mul(Z[c * n + i], t[c]));
    for (int i = 0; i < r; ++i) y[i] = sum[i];
}

// t (s) += Z' y
CD_KERNEL void solve_up(const real* restrict Z, const real* restrict y, real* restrict t, int r, int s)
{
    const int n = r_lanes(r);
    for (int c = 0; c < s; ++c) {
        real sum = r_mul(Z[c * n], y[0]);
        for (int i = 1; i < r; ++i) sum = r_add(sum, r_mul(Z[c * n + i], y[i]));
        t[c] = r_add(t[c], sum);
    }
}

// Scalar LDL' of a diagonal block. In registers: the way from pivot to pivot is as long as its divisions, and nothing may be added to it.
// A body's pivots must be above `least`. Returns the row of a bad pivot, or -1.
CD_KERNEL int factor_body(real* restrict A, const double* restrict least, int s)
{
    const int n = r_lanes(s);
    real      a[CD_BLOCK_MOST][CD_BLOCK_MOST];
    CD_UNROLL for (int j = 0; j < s; ++j)
        CD_UNROLL for (int i = j; i < s; ++i) a[j][i] = A[j * n + i];
    CD_UNROLL for (int j = 0; j < s; ++j) {
        if (!(r_value(a[j][j]) > least[j])) return j;
        const real inverse = r_div(r_lift(1), a[j][j]);
        CD_UNROLL for (int k = j + 1; k < s; ++k) {
            const real l = r_over(a[j][k], inverse);
            CD_UNROLL for (int i = k; i < s; ++i) a[k][i] = r_sub(a[k][i], r_mul(a[j][i], l));
            A[j * n + k] = l;
        }
        A[j * n + j] = inverse;
    }
    return -1;
}

// A joint's pivots are negative, or null against what was taken from them. Where a row is almost a combination of others, as one of two rows
// that only together repeat others, its small pivot d/s leaves rounding of the size eps s/d in those after it, which is no pivot.
// A pivot of the wrong sign is rounding too, up to a larger part.
static const double pivot_noise = 2e-14, wrong_sign = 1e-6;
CD_KERNEL int factor_joint(real* restrict A, double tolerance, double* restrict taken, bool* restrict null, int s)
{
    const int n = r_lanes(s);
    double    weak = 1, of = 1;  // smallest pivot so far, relative
    real      a[CD_BLOCK_MOST][CD_BLOCK_MOST];
    CD_UNROLL for (int j = 0; j < s; ++j)
        CD_UNROLL for (int i = j; i < s; ++i) a[j][i] = A[j * n + i];
    CD_UNROLL for (int j = 0; j < s; ++j) {
        const double d = fabs(r_value(a[j][j]));
        const double noise = tolerance * weak > pivot_noise * of ? tolerance * weak : pivot_noise * of;
        const bool   none  = d * weak <= noise * taken[j] || (r_value(a[j][j]) > 0 && d <= wrong_sign * taken[j]);
        if (!none && !(r_value(a[j][j]) < 0)) return j;
        if (!none && d * of < weak * taken[j]) {
            weak = d;
            of   = taken[j];
        }
        const real inverse = none ? r_lift(0) : r_div(r_lift(1), a[j][j]);
        null[j]            = none;
        CD_UNROLL for (int k = j + 1; k < s; ++k) {
            const real l    = r_over(a[j][k], inverse);
            const real drop = r_mul(a[j][k], l);
            taken[k] += fabs(r_value(drop));
            a[k][k] = r_sub(a[k][k], drop);
            CD_UNROLL for (int i = k + 1; i < s; ++i) a[k][i] = r_sub(a[k][i], r_mul(a[j][i], l));
            A[j * n + k] = l;
        }
        A[j * n + j] = inverse;
    }
    return -1;
}

// For every r from 1 to 6 with a size s.
#define CD_SIZES(X, s) X(1, s) X(2, s) X(3, s) X(4, s) X(5, s) X(6, s)
#define CD_PAIRS(X)    CD_SIZES(X, 1) CD_SIZES(X, 2) CD_SIZES(X, 3) CD_SIZES(X, 4) CD_SIZES(X, 5) CD_SIZES(X, 6)
// A table by (r, s) of functions name_r_s.
#define CD_ROW_OF(name, s) {NULL, name##_1_##s, name##_2_##s, name##_3_##s, name##_4_##s, name##_5_##s, name##_6_##s}
#define CD_TABLE_OF(name) \
    {{NULL}, CD_ROW_OF(name, 1), CD_ROW_OF(name, 2), CD_ROW_OF(name, 3), CD_ROW_OF(name, 4), CD_ROW_OF(name, 5), CD_ROW_OF(name, 6)}
