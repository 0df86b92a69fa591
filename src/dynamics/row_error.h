// SPDX-License-Identifier: BSD-3-Clause
// How well accelerations satisfy the rows, whatever units and however slow the mechanism.
#pragma once

#include "dynamics/data.h"

typedef struct cd_row_miss {
    double error; // max |J a - gamma| of all rows
    double terms; // the largest that any of them is the sum of
    double
        rounding; // size of accelerations that cancelled before the rows saw them, or of forces; 0 where nobody asked
    int row;      // of the error
    double asked; // the largest |gamma|: what rows ask for, and more than that no contradiction misses by far
} cd_row_miss;

// `rounding` is looked for where the error is more than a part of the terms.
cd_row_miss cd_rows_missed(cardan_data* d, const double* a, double part);
// Rows miss by so much more than they ask for that they do not contradict each other: the solve is to blame.
bool cd_unasked(const cd_row_miss* miss);
// The error beside the terms, or beside this part of what cancelled, where that is more.
double cd_missed(const cd_row_miss* miss, double part);
