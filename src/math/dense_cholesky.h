// SPDX-License-Identifier: BSD-3-Clause
// Small dense factorizations over `real`; matrices are row major, lower triangles.
#pragma once

#include "math/number.h"

// Size from which LAPACK is faster (for double).
enum { CD_LAPACK_MIN_SIZE = 48 };

// M = L L'. Returns n, or the first row whose pivot is not above `tolerance` times the larger of its diagonal entry and
// `min_diagonal` (n; NULL: 0), since the entry itself may be round-off.
static inline int dense_cholesky(int n, real* M, double tolerance, const double* min_diagonal)
{
    for (int i = 0; i < n; ++i) {
        real*        row      = M + i * n;
        const double diagonal = fmax(r_value(row[i]), min_diagonal ? min_diagonal[i] : 0);
        for (int j = 0; j <= i; ++j) {
            const real* other = M + j * n;
            real        sum   = row[j];
            for (int k = 0; k < j; ++k) sum = r_sub(sum, r_mul(row[k], other[k]));
            if (j < i)
                row[j] = r_div(sum, other[j]);
            else if (!(r_value(sum) > tolerance * diagonal))
                return i;
            else
                row[j] = r_sqrt(sum);
        }
    }
    return n;
}

static inline void dense_cholesky_solve(int n, const real* L, real* x)
{
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j) x[i] = r_sub(x[i], r_mul(L[i * n + j], x[j]));
        x[i] = r_div(x[i], L[i * n + i]);
    }
    for (int i = n - 1; i >= 0; --i) {
        x[i] = r_div(x[i], L[i * n + i]);
        for (int j = 0; j < i; ++j) x[j] = r_sub(x[j], r_mul(L[i * n + j], x[i]));
    }
}

// The same, by LAPACK from CD_LAPACK_MIN_SIZE on.
static inline int dense_factor(int n, real* M, double tolerance, const double* min_diagonal)
{
    if (r_has_lapack() && n >= CD_LAPACK_MIN_SIZE) return r_lapack_cholesky(n, M, tolerance, min_diagonal);
    return dense_cholesky(n, M, tolerance, min_diagonal);
}

static inline void dense_solve(int n, const real* L, real* x)
{
    if (r_has_lapack() && n >= CD_LAPACK_MIN_SIZE)
        r_lapack_cholesky_solve(n, L, x);
    else
        dense_cholesky_solve(n, L, x);
}
