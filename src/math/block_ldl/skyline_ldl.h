// SPDX-License-Identifier: BSD-3-Clause
// LDL' of a positive semidefinite matrix kept between its diagonal and the first entry of each row. Pivots that are
// round-off are null. Rows that begin at the same column, as those of one constraint, may be eliminated together, in an
// order of their own where theirs is a bad one.
#pragma once

#include "core/memory.h"
#include "math/block_ldl/row_pivoting.h"

typedef struct cd_skyline {
    int     n;
    int*    first_column; // (n) first column of a row
    size_t* row_offset;   // (n) of its entries first .. diagonal in `entry`
    size_t  nentry;
    real*   entry;    // then L, and 1/d on the diagonal (0: null)
    real*   z;        // (n)
    double* diagonal; // (n) diagonal entries of the matrix

    // of the last factor
    int*   permutation;   // (n) which row stands where
    bool   is_permuted;   // not all where they are
    double min_pivot_rel; // smallest pivot that is not null, relative to its diagonal entry
    int    min_pivot_row; // -1: none is below 1
    int    nnull;         // pivots that are
} cd_skyline;

// Rows and their first columns are set by the caller; this says where they stand. `row` may be the caller's zeroed
// memory.
void cd_skyline_set_offsets(cd_skyline* N);
void cd_skyline_layout(cd_skyline* N, cd_arena* arena);
void cd_skyline_clear(cd_skyline* N);

static inline real* cd_skyline_at(const cd_skyline* N, int i, int j)
{
    return N->entry + N->row_offset[i] + (j - N->first_column[i]);
}

// Factor, row by row: a pivot below `tolerance` times its diagonal entry is null. Returns the row of a pivot that is
// negative or not a number, or -1.
int cd_skyline_factor(cd_skyline* N, double tolerance);
// The same by groups of up to 6 rows, one after the other from the first: begin, then each.
void cd_skyline_factor_begin(cd_skyline* N);
int  cd_skyline_factor_group(cd_skyline* N, int row, int nrow, cd_pivot_test test);
// x = L^-1 x, x = L'^-1 x, and both with the pivots between.
void cd_skyline_forward(const cd_skyline* N, real* x);
void cd_skyline_backward(const cd_skyline* N, real* x);
void cd_skyline_solve(const cd_skyline* N, real* x);
// Largest product of a diagonal entry of the matrix and its x.
double cd_skyline_largest_diagonal_term(const cd_skyline* N, const real* x);
