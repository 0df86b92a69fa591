// SPDX-License-Identifier: BSD-3-Clause
// LU factorization of sparse matrices with constant pattern and changing values, by KLU of SuiteSparse; only
// sparse_lu.c includes KLU.
//
// Davis, Palamadai Natarajan 2010, Algorithm 907: KLU, ACM TOMS 37(3).
#pragma once

#include <stdbool.h>

typedef struct cd_sparse_lu cd_sparse_lu;

// Return whether the build contains KLU; else nothing can be factored (sparse_lu_missing.c).
bool cd_sparse_lu_is_available(void);

// Create the factorization of a pattern (n x n) by columns: row indices of column j at start[j] to start[j + 1],
// ascending. The caller keeps the pattern until the factorization is destroyed. NULL: no memory, or structurally
// singular.
cd_sparse_lu* cd_sparse_lu_create(int n, int* start, int* row);
void          cd_sparse_lu_destroy(cd_sparse_lu* lu);

// Factor, with the pivots of the last factorization if their growth is acceptable, else with new ones. False: singular
// or not finite.
bool cd_sparse_lu_factor(cd_sparse_lu* lu, double* value);
void cd_sparse_lu_solve(cd_sparse_lu* lu, double* b);
// Ratio of smallest to largest pivot of the last factorization.
double cd_sparse_lu_rcond(cd_sparse_lu* lu);
