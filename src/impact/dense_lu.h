// SPDX-License-Identifier: BSD-3-Clause
// LU factorization with row pivoting of a small dense matrix (n x n, column major); by LAPACK from some dozens of rows
// on.
#pragma once

#include <stdbool.h>

// Returns the sign of the determinant: 0 if a pivot is not above `tolerance` times the largest entry of its column in
// A. The factors overwrite A. smallest (or NULL): least ratio of a pivot to that entry.
int  cd_dense_lu(int n, double* A, int* pivot, double tolerance, double* smallest);
void cd_dense_lu_solve(int n, const double* A, const int* pivot, double* b);
