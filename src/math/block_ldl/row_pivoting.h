// SPDX-License-Identifier: BSD-3-Clause
// LDL' of what an elimination has left of the rows of one constraint, with a choice of pivots where their own order is
// a bad one:
//
//   P A P' = L d L'      A positive semidefinite, up to 6 x 6; a null pivot has 1/d = 0
//
// Where a loop repeats some of its rows in every pose, as Bennett's does, A has the same rank everywhere, but the rows
// that are taken first can come to depend on each other while others would not. Pivots become small then, what follows
// has lost as many digits, and rows that repeat others pass for rows of their own. In the order of the largest pivots
// that does not happen: Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 10.3 (complete
// pivoting).
#pragma once

#include "math/block_ldl/pivot_test.h"
#include "math/number.h"

#include <math.h>
#include <stdbool.h>

enum { CD_PIVOTING_MAX_ROWS = 6 };

// What makes an order a bad one, in parts of the size of rows: a pivot below `weak` before one that is null, or below
// `suspect` and perhaps null, whose row would have had a better one then; a pivot that is null but above `dust`, or
// what gaps leave, before one that is not: it hides what rows after it say.
//
// Where constraints are closed, any choice gives the same motion; beside them rows that repeat each other differ by the
// gap, and a change of rows within a step would be a jump of accelerations. So rows are chosen anew, from the state
// alone, where constraints are closed, and kept beside them until a pivot is below `forced`.
static const double cd_pivot_suspect_tolerance = 1e-5, cd_pivot_weak_tolerance = 0.3,
                    cd_pivot_weak_tolerance_frozen = 1e-3, cd_pivot_better_factor = 3,
                    cd_pivot_residue_tolerance = 1e-13;

static inline bool   cd_pivoting_may_reorder(cd_pivot_test test) { return test.rel_to_constraint <= 1e-18; }
static inline double cd_pivoting_weak_tolerance(cd_pivot_test test)
{
    return cd_pivoting_may_reorder(test) ? cd_pivot_weak_tolerance : cd_pivot_weak_tolerance_frozen;
}
static inline double cd_pivoting_residue_tolerance(cd_pivot_test test)
{
    return fmax(cd_pivot_residue_tolerance, test.rel_to_constraint);
}

// Rounding of a pivot, of the size of its row; and up to which part a pivot of the wrong sign is rounding too.
static const double cd_pivot_roundoff = 2e-14, cd_pivot_wrong_sign_tolerance = 1e-6;

typedef struct cd_row_pivoting {
    int  n;
    real A[CD_PIVOTING_MAX_ROWS][CD_PIVOTING_MAX_ROWS]; // lower triangle; then L below the diagonal, by order of pivots
    double
        size[CD_PIVOTING_MAX_ROWS]; // of the rows, by which their pivots are measured; then with what rows before took

    int  permutation[CD_PIVOTING_MAX_ROWS];   // which row a pivot is of; before: the order of the last time
    real inverse_pivot[CD_PIVOTING_MAX_ROWS]; // 1/d, 0: null
    bool is_permuted;                         // they are not in their own order

    const bool* forced_null; // (n) rows that are null, whatever their pivots are, and no others; NULL: pivots tell
} cd_row_pivoting;

// In their own order or, beside the constraints, that of the last time, unless that is a bad one. Returns the row of a
// pivot that is negative or not a number, or -1.
int cd_row_pivoting_factor(cd_row_pivoting* p, cd_pivot_test test);
// By the largest.
int cd_row_pivoting_factor_complete(cd_row_pivoting* p, cd_pivot_test test);
