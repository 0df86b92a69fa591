// SPDX-License-Identifier: BSD-3-Clause
// LDL' of a positive semidefinite matrix stored from the first entry of each row to the diagonal (skyline). Pivots at
// round-off level are null. Rows that begin at the same column, as those of one constraint, can be eliminated as a
// group, with pivoting where their order is bad.
#pragma once

#include "core/memory.h"
#include "math/block_ldl/row_pivoting.h"

typedef struct cd_skyline {
    int     n;
    int*    first_column; // (n) first column of a row
    size_t* row_offset;   // (n) offset of its entries first_column .. diagonal in `entry`
    size_t  nentry;
    real*   entry;    // the matrix, then L with 1/d on the diagonal (0: null)
    real*   z;        // (n)
    double* diagonal; // (n) diagonal entries of the matrix

    // of the last factor
    int*   permutation;   // (n) row at each position
    bool   is_permuted;   // some row is not at its own position
    double min_pivot_rel; // smallest non-null pivot, relative to its diagonal entry
    int    min_pivot_row; // -1: no pivot is below 1
    int    nnull;         // number of null pivots
} cd_skyline;

// Compute row offsets from the first columns, which the caller sets. `entry` may be zeroed memory of the caller.
void cd_skyline_set_offsets(cd_skyline* N);
void cd_skyline_layout(cd_skyline* N, cd_arena* arena);
void cd_skyline_clear(cd_skyline* N);

static inline real* cd_skyline_at(const cd_skyline* N, int i, int j)
{
    return N->entry + N->row_offset[i] + (j - N->first_column[i]);
}

// Factor row by row: a pivot below `tolerance` times its diagonal entry is null. Returns the row of a pivot that is
// negative or NaN, or -1.
int cd_skyline_factor(cd_skyline* N, double tolerance);
// The same by groups of up to 6 rows, in order from the first: begin, then each group.
void cd_skyline_factor_begin(cd_skyline* N);
int  cd_skyline_factor_group(cd_skyline* N, int row, int nrow, cd_pivot_test test);
// x = L^-1 x; x = L'^-1 x; solve with both and the pivots.
void cd_skyline_forward(const cd_skyline* N, real* x);
void cd_skyline_backward(const cd_skyline* N, real* x);
void cd_skyline_solve(const cd_skyline* N, real* x);
// Return the largest product of a diagonal entry of the matrix and |x|.
double cd_skyline_largest_diagonal_term(const cd_skyline* N, const real* x);
