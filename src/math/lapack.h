// SPDX-License-Identifier: BSD-3-Clause
// The LAPACK routines in use; only lapack.c calls LAPACK.
#pragma once

#include <stdbool.h>

// M (n x n, lower triangle, row major) = L L'. Returns n, or the first row whose pivot is not above `tolerance` times
// the larger of its diagonal entry and `min_diagonal` (n; NULL: 0).
int  cd_lapack_cholesky(int n, double* M, double tolerance, const double* min_diagonal);
void cd_lapack_cholesky_solve(int n, const double* L, double* x);

// Minimum-norm least-squares solution of A x = b by complete orthogonal factorization, A (n x n) row major, symmetric.
// Overwrites A, and b by x. `work`: cd_lapack_least_squares_work(n) doubles, `pivot`: n integers. Returns the rank at
// relative tolerance `tolerance`, or -1 if A or b contains NaN.
int cd_lapack_least_squares(int n, double* A, double* b, double tolerance, double* work, int* pivot);
int cd_lapack_least_squares_work(int n);
// Reciprocal condition number of the leading triangle (rank x rank) that cd_lapack_least_squares stored in A.
double cd_lapack_rcond(int n, int rank, const double* A, double* work, int* pivot);

// Singular values of A (nrow x ncol, row major, overwritten), largest first, min(nrow, ncol) of them. Column i of
// `left_vectors` (nrow x nrow, row major) belongs to value i; columns beyond the values or of zero values solve x'A =
// 0. Row i of `right_vectors` (min(nrow, ncol) x ncol) likewise. Either may be NULL. `work`: cd_lapack_svd_work(nrow,
// ncol) doubles. Returns false if A is not finite.
bool cd_lapack_svd(int nrow, int ncol, double* A, double* sigma, double* left_vectors, double* right_vectors,
                   double* work);
int  cd_lapack_svd_work(int nrow, int ncol);

// Minimum-norm least squares for A (rows x columns, column major), b of length max(rows, columns). Work:
// cd_lapack_least_squares_rectangular_work.
int cd_lapack_least_squares_rectangular(int rows, int columns, double* A, double* b, double tolerance, double* work,
                                        int* pivot);
int cd_lapack_least_squares_rectangular_work(int rows, int columns);

// A (rows x columns, column major) = Q R; with column pivoting in the order `pivot` (from 0) if that is given: then the
// diagonal of R decreases in magnitude. tau: min(rows, columns). Work: cd_lapack_qr_work. Returns false if LAPACK
// fails.
bool cd_lapack_qr(int rows, int columns, double* A, int* pivot, double* tau, double* work);
// Solve R x = Q'b for the first `rank` columns; b (rows) receives x.
void cd_lapack_qr_solve(int rows, int rank, const double* A, const double* tau, double* b, double* work);
int  cd_lapack_qr_work(int rows, int columns);
// Columns of Q from index `from` on, in basis (rows x (rows - from), column major); Q of the first `rank` reflections
// of A.
void cd_lapack_qr_basis(int rows, int rank, const double* A, const double* tau, int from, double* basis, double* work);
// Solve R'x = b with the first `rank` rows and columns of R; b (rank) receives x.
void cd_lapack_qr_solve_r_transposed(int rows, int rank, const double* A, double* b);

// Eigenvalues of a symmetric A (n x n), ascending; A is overwritten by the eigenvectors, row i belongs to value i.
// Work: cd_lapack_eigen_work.
bool cd_lapack_symmetric_eigen(int n, double* A, double* value, double* work);
// Eigenvalues of a general A (n x n, column major, overwritten), and right eigenvectors (n x n, column major; NULL:
// none): one column per real value; for a pair a +- ib real and imaginary part in two columns, of the value with b > 0,
// which comes first.
bool cd_lapack_eigen(int n, double* A, double* real, double* imaginary, double* vectors, double* work);
int  cd_lapack_eigen_work(int n);

// LU of A (n x n, column major) with row pivoting, one panel of `width` columns per call from left to right, so that
// the caller can check for interruption in between. pivot: n. Returns false if A is singular.
bool cd_lapack_lu_panel(int n, int from, int width, double* A, int* pivot);
void cd_lapack_lu_solve(int n, const double* A, const int* pivot, double* b);

// Limit LAPACK to one thread from now on, if the library supports it.
void cd_lapack_set_single_thread(void);
