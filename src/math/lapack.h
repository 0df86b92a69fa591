// SPDX-License-Identifier: BSD-3-Clause
// The few LAPACK routines in use. lapack.c is the only file that sees LAPACK.
#pragma once

#include <stdbool.h>

// M (n x n, lower triangle, row major) = L L'. False if M is not positive definite.
bool cd_lapack_cholesky(int n, double* M);
void cd_lapack_cholesky_solve(int n, const double* L, double* x);

// Least-squares solution of least norm of A x = b by complete orthogonal factorization, A (n x n) row major, symmetric.
// A and b are overwritten, b by x. `work` holds cd_lapack_least_squares_work(n) doubles, pivot n integers.
// Returns the rank at relative tolerance `tolerance`, or -1 if LAPACK refuses the matrix (NaN).
int cd_lapack_least_squares(int n, double* A, double* b, double tolerance, double* work, int* pivot);
int cd_lapack_least_squares_work(int n);
