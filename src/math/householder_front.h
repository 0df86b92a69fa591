// SPDX-License-Identifier: BSD-3-Clause
// Orthogonal elimination in one dense front, matrices column by column.
#pragma once

#include <stdbool.h>

// What eliminations have cost, and whether something was left of a column that is little more than nothing: more than
// `least`, of unit rows, and less than `most`.
typedef struct cd_householder_stats {
    double operations;
    double doubtful_min, doubtful_max;
    bool   is_doubtful;
} cd_householder_stats;

// Householder reflections of A (rows x columns) that leave its first `lead` columns upper trapezoidal; columns of which
// nothing is left get no pivot. Returns the pivots: so many rows lead, the others are zero in those columns.
int cd_householder_triangularize(int rows, int columns, double* A, int lead, cd_householder_stats* stats);

// The rows from `first` on are zero in the columns before `lead`. They become as few as say the same, from row `first`
// on; returns how many.
int cd_householder_compress(int rows, int columns, int first, double* A, int lead, cd_householder_stats* stats);

// Orthonormal `out` (6 - n) orthogonal to the n rows of `in`, which are independent.
void cd_orthonormal_complement(int n, double in[6][6], double out[6][6]);
