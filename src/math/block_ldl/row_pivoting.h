// SPDX-License-Identifier: BSD-3-Clause
// LDL' of the Schur complement of the rows of one constraint, with pivoting where the row order is bad:
//
//   P A P' = L d L'      A positive semidefinite, up to 6 x 6; a null pivot has 1/d = 0
//
// If a loop has redundant rows at every configuration, as Bennett's linkage, A has the same rank everywhere, but the
// rows that are eliminated first can become dependent where others would not. Pivots then become small, the following
// ones lose as many digits, and redundant rows appear to be independent. In the order of the largest pivots this does
// not happen: Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 10.3 (complete pivoting).
#pragma once

#include "math/block_ldl/pivot_test.h"
#include "math/math_tolerances.h"
#include "math/number.h"

#include <math.h>
#include <stdbool.h>

enum { CD_PIVOTING_MAX_ROWS = 6 };

// Criteria of a bad order, relative to the size of rows: a pivot below the weak tolerance before a null pivot, or
// before one below the suspect tolerance that may be null, whose row would have had a larger pivot at that point (by
// cd_pivot_better_factor); a null pivot above the residue tolerance, or above that of the violation, before a non-null
// one: it hides the content of the rows after it.
//
// Where constraints are satisfied, any choice gives the same motion; off the constraints redundant rows differ by the
// violation, and a change of rows within a step would make accelerations discontinuous. Therefore rows are chosen anew,
// from the state alone, where constraints are satisfied, and kept off them until a pivot is below the frozen weak
// tolerance.
static inline bool cd_pivoting_may_reorder(cd_pivot_test test)
{
    return test.rel_to_constraint <= cd_pivot_reorder_tolerance;
}
static inline double cd_pivoting_weak_tolerance(cd_pivot_test test)
{
    return cd_pivoting_may_reorder(test) ? cd_pivot_weak_tolerance : cd_pivot_weak_tolerance_frozen;
}
static inline double cd_pivoting_residue_tolerance(cd_pivot_test test)
{
    return fmax(cd_pivot_residue_tolerance, test.rel_to_constraint);
}

typedef struct cd_row_pivoting {
    int    n;
    real   A[CD_PIVOTING_MAX_ROWS][CD_PIVOTING_MAX_ROWS]; // lower triangle; then L below the diagonal, in pivot order
    double size[CD_PIVOTING_MAX_ROWS]; // of the rows, scale of their pivots; increased by what elimination subtracts

    int  permutation[CD_PIVOTING_MAX_ROWS];   // row of each pivot; on entry: the order of the last factorization
    real inverse_pivot[CD_PIVOTING_MAX_ROWS]; // 1/d, 0: null
    bool is_permuted;                         // the pivots are not in row order

    const bool* forced_null; // (n) rows with null pivots, and no others; NULL: decided by pivots
} cd_row_pivoting;

// Factor in row order or, off the constraints, in the order of the last factorization, unless that is bad. Returns the
// row of a pivot that is negative or NaN, or -1.
int cd_row_pivoting_factor(cd_row_pivoting* p, cd_pivot_test test);
// Factor by the largest pivots.
int cd_row_pivoting_factor_complete(cd_row_pivoting* p, cd_pivot_test test);
