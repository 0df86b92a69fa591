// SPDX-License-Identifier: BSD-3-Clause
// LU of sparse matrices whose pattern stays while their values change: SuiteSparse's KLU. sparse_lu.c is the only file
// that sees it.
//
// Davis, Palamadai Natarajan 2010, Algorithm 907: KLU, ACM TOMS 37(3).
#pragma once

#include <stdbool.h>

typedef struct cd_sparse_lu cd_sparse_lu;

// Of a pattern (n x n) by columns: rows of column j stand at start[j] to start[j + 1], in rising order. It is kept by
// the caller as long as the factor lives. NULL: no memory, or no values can make the matrix regular.
cd_sparse_lu* cd_sparse_lu_create(int n, int* start, int* row);
void          cd_sparse_lu_destroy(cd_sparse_lu* lu);

// With the pivots of the last factor as long as they serve, else with new ones. False: singular, or not finite.
bool cd_sparse_lu_factor(cd_sparse_lu* lu, double* value);
void cd_sparse_lu_solve(cd_sparse_lu* lu, double* b);
// Least pivot beside the largest, of the last factor.
double cd_sparse_lu_rcond(cd_sparse_lu* lu);
