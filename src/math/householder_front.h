// SPDX-License-Identifier: BSD-3-Clause
// Orthogonal elimination in one dense front; matrices are column major.
#pragma once

#include <stdbool.h>

// Statistics of eliminations: operations, and whether a column norm was doubtful: between doubtful_min and
// doubtful_max, for rows of unit norm.
typedef struct cd_householder_stats {
    double operations;
    double doubtful_min, doubtful_max;
    bool   is_doubtful;
} cd_householder_stats;

// Apply Householder reflections to A (rows x columns) that make its first `lead` columns upper trapezoidal; zero
// columns get no pivot. Returns the number of pivots: so many rows are leading, the others are zero in those columns.
int cd_householder_triangularize(int rows, int columns, double* A, int lead, cd_householder_stats* stats);

// Compress the rows from `first` on, which are zero in the columns before `lead`, to an equivalent smaller set at row
// `first`; returns its size.
int cd_householder_compress(int rows, int columns, int first, double* A, int lead, cd_householder_stats* stats);

// Orthonormal complement `out` (6 - n rows) of the n independent rows of `in`.
void cd_orthonormal_complement(int n, double in[6][6], double out[6][6]);
