// SPDX-License-Identifier: BSD-3-Clause
// The few LAPACK routines in use. lapack.c is the only file that sees LAPACK.
#pragma once

#include <stdbool.h>

// M (n x n, lower triangle, row major) = L L'. Returns n, or the first row whose pivot is not above `tolerance` times
// its diagonal entry and times least (n; NULL: nothing).
int  cd_lapack_cholesky(int n, double* M, double tolerance, const double* min_diagonal);
void cd_lapack_cholesky_solve(int n, const double* L, double* x);

// Least-squares solution of least norm of A x = b by complete orthogonal factorization, A (n x n) row major, symmetric.
// A and b are overwritten, b by x. `work` holds cd_lapack_least_squares_work(n) doubles, pivot n integers.
// Returns the rank at relative tolerance `tolerance`, or -1 if LAPACK refuses the matrix (NaN).
int cd_lapack_least_squares(int n, double* A, double* b, double tolerance, double* work, int* pivot);
int cd_lapack_least_squares_work(int n);
// Reciprocal condition of what cd_lapack_least_squares left of A and its rank.
double cd_lapack_rcond(int n, int rank, const double* A, double* work, int* pivot);

// Singular values of A (nrow x ncol, row major, overwritten), largest first, `most` = min(nrow, ncol) of them. Column i
// of `left` (nrow x nrow, row major) belongs to value i, those beyond the values or beside zero ones solve x'A = 0; row
// i of `right` (most x ncol) likewise. Either may be NULL. `work` holds cd_lapack_svd_work(nrow, ncol) doubles. False
// for what is not finite.
bool cd_lapack_svd(int nrow, int ncol, double* A, double* sigma, double* left_vectors, double* right_vectors,
                   double* work);
int  cd_lapack_svd_work(int nrow, int ncol);

// The same for A (rows x columns, column major), b with room for max(rows, columns). Work:
// cd_lapack_least_squares_rectangular_work.
int cd_lapack_least_squares_rectangular(int rows, int columns, double* A, double* b, double tolerance, double* work,
                                        int* pivot);
int cd_lapack_least_squares_rectangular_work(int rows, int columns);

// A (rows x columns, column major) = Q R, columns in the order `pivot` (from 0) where that is given; then the diagonal
// of R falls in magnitude. tau: min(rows, columns). Work: cd_lapack_qr_work. False if LAPACK refuses.
bool cd_lapack_qr(int rows, int columns, double* A, int* pivot, double* tau, double* work);
// b (rows) becomes the solution of R x = Q'b for the first `rank` columns.
void cd_lapack_qr_solve(int rows, int rank, const double* A, const double* tau, double* b, double* work);
int  cd_lapack_qr_work(int rows, int columns);
// The columns of Q from number `from` on into basis (rows x (rows - from), column major); Q of `rank` reflections of A.
void cd_lapack_qr_basis(int rows, int rank, const double* A, const double* tau, int from, double* basis, double* work);
// b (rank) becomes the solution of R'x = b, R the first `rank` rows and columns.
void cd_lapack_qr_solve_r_transposed(int rows, int rank, const double* A, double* b);

// Eigenvalues of a symmetric A (n x n), from the lowest on; A becomes its eigenvectors, row i that of value i. Work:
// cd_lapack_eigen_work.
bool cd_lapack_symmetric_eigen(int n, double* A, double* value, double* work);
// Eigenvalues of any A (n x n, column major, overwritten), and right eigenvectors (n x n, column major; NULL: none): of
// a real value its column, of a pair a +- ib real and imaginary part in two columns, for the value with b > 0 that
// comes first.
bool cd_lapack_eigen(int n, double* A, double* real, double* imaginary, double* vectors, double* work);
int  cd_lapack_eigen_work(int n);

// LU of A (n x n, column major) with row pivots, a panel of `width` columns at a time from left to right, so that the
// caller can look up in between. pivot: n. False where A is singular.
bool cd_lapack_lu_panel(int n, int from, int width, double* A, int* pivot);
void cd_lapack_lu_solve(int n, const double* A, const int* pivot, double* b);

// From here on LAPACK takes one thread, where the library can be told so.
void cd_lapack_set_single_thread(void);
