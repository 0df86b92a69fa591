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

#include "constraint/rows.h"
#include "math/number.h"

#include <math.h>
#include <stdbool.h>

enum { CD_PIVOTS_MOST = 6 };

// What makes an order a bad one, in parts of the size of rows: a pivot below `weak` before one that is null, or below
// `suspect` and perhaps null, whose row would have had a better one then; a pivot that is null but above `dust`, or
// what gaps leave, before one that is not: it hides what rows after it say.
//
// Where constraints are closed, any choice gives the same motion; beside them rows that repeat each other differ by the
// gap, and a change of rows within a step would be a jump of accelerations. So rows are chosen anew, from the state
// alone, where constraints are closed, and kept beside them until a pivot is below `forced`.
static const double cd_pivot_suspect = 1e-5, cd_pivot_weak = 0.3, cd_pivot_forced = 1e-3, cd_pivot_better = 3,
                    cd_pivot_dust = 1e-13;

static inline bool   cd_pivots_anew(cd_null_test test) { return test.beside <= 1e-18; }
static inline double cd_pivots_weak(cd_null_test test)
{
    return cd_pivots_anew(test) ? cd_pivot_weak : cd_pivot_forced;
}
static inline double cd_pivots_dust(cd_null_test test) { return fmax(cd_pivot_dust, test.beside); }

// Rounding of a pivot, of the size of its row; and up to which part a pivot of the wrong sign is rounding too.
static const double cd_pivot_noise = 2e-14, cd_pivot_wrong = 1e-6;

typedef struct cd_row_pivots {
    int    n;
    real   A[CD_PIVOTS_MOST][CD_PIVOTS_MOST]; // lower triangle; then L below the diagonal, by order of pivots
    double size[CD_PIVOTS_MOST]; // of the rows, by which their pivots are measured; then with what rows before took

    int  turn[CD_PIVOTS_MOST];    // which row a pivot is of; before: the order of the last time
    real inverse[CD_PIVOTS_MOST]; // 1/d, 0: null
    bool turned;                  // they are not in their own order

    const bool* ruled; // (n) rows that are null, whatever their pivots are, and no others; NULL: pivots tell
} cd_row_pivots;

// In their own order or, beside the constraints, that of the last time, unless that is a bad one. Returns the row of a
// pivot that is negative or not a number, or -1.
int cd_row_pivots_factor(cd_row_pivots* p, cd_null_test test);
// By the largest.
int cd_row_pivots_choose(cd_row_pivots* p, cd_null_test test);
