// SPDX-License-Identifier: BSD-3-Clause
// Cholesky factorization of a small symmetric positive semidefinite matrix that passes over dependent rows.
#pragma once

typedef struct cd_semidefinite {
    int     n, rank;
    double* L;        // (n x n): row i has the entries of the independent rows before it; diagonal: 1/L_ii
    int*    order;    // (n) independent rows, then dependent ones, each in ascending order
    double  smallest; // least pivot of an independent row relative to its diagonal entry
} cd_semidefinite;

// L holds A by rows on entry, lower triangle. A row is dependent if its pivot is at most `tolerance` times its diagonal
// entry.
void cd_semidefinite_factor(cd_semidefinite* factor, double tolerance);
// x with x = 0 in dependent rows and A x = b in independent ones.
void cd_semidefinite_solve(const cd_semidefinite* factor, double* b);
// Null vectors, rows of basis (n - rank rows of n): 1 in one dependent row each.
void cd_semidefinite_null_space(const cd_semidefinite* factor, double* basis);
// y less its part in the span of the `count` rows of basis. gram: count^2 doubles; product: count.
void cd_remove_null_part(int n, int count, const double* basis, double* gram, double* product, double* y);
