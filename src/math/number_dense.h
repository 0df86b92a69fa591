// SPDX-License-Identifier: BSD-3-Clause
// Dense solves in named operations, for number types without LAPACK. The header of a number type includes this file
// after its operations.
#pragma once

static inline bool r_has_lapack(void) { return false; }
static inline int  r_lapack_cholesky(int n, real* M, double tolerance, const double* min_diagonal)
{
    return (void)n, (void)M, (void)tolerance, (void)min_diagonal, 0;
}
static inline void r_lapack_cholesky_solve(int n, const real* L, real* x) { (void)n, (void)L, (void)x; }
static inline int  r_least_squares_work(int n) { return n; }

// The rank-revealing solve in countable operations: Cholesky with symmetric pivoting of the (semidefinite) matrix.
static inline double r_rcond(int n, int rank, const real* A, real* work, int* pivot)
{
    (void)n, (void)rank, (void)A, (void)work, (void)pivot;
    return 1;
}
static inline int r_least_squares(int n, real* A, real* b, double tolerance, real* work, int* pivot)
{
    (void)work;
    for (int i = 0; i < n; ++i) pivot[i] = i;
    for (int k = 0; k < n; ++k) {
        int best = k;
        for (int i = k + 1; i < n; ++i)
            if (r_value(A[pivot[i] * n + pivot[i]]) > r_value(A[pivot[best] * n + pivot[best]])) best = i;
        const int p = pivot[best];
        pivot[best] = pivot[k];
        pivot[k]    = p;
        if (!(r_value(A[p * n + p]) > tolerance)) return k;
        for (int i = k + 1; i < n; ++i) {
            const int  r = pivot[i];
            const real l = r_div(A[r * n + p], A[p * n + p]);
            for (int j = k + 1; j <= i; ++j) {
                const int c  = pivot[j];
                A[r * n + c] = A[c * n + r] = r_sub(A[r * n + c], r_mul(l, A[c * n + p]));
            }
            b[r] = r_sub(b[r], r_mul(l, b[p]));
        }
    }
    for (int k = n - 1; k >= 0; --k) {
        const int p = pivot[k];
        for (int j = k + 1; j < n; ++j) b[p] = r_sub(b[p], r_mul(A[pivot[j] * n + p], b[pivot[j]]));
        b[p] = r_div(b[p], A[p * n + p]);
    }
    return n;
}
static inline int r_dependent_column(const int* pivot, int rank) { return pivot[rank]; }
