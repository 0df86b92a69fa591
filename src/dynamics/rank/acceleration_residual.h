// SPDX-License-Identifier: BSD-3-Clause
// How well accelerations satisfy the rows, whatever units and however slow the mechanism.
#pragma once

#include "dynamics/data.h"

typedef struct cd_acceleration_residual {
    double max_residual; // max |J a - gamma| of all rows
    double term_scale;   // the largest that any of them is the sum of
    double
        cancelled_scale; // size of accelerations that cancelled before the rows saw them, or of forces; 0 where nobody asked
    int    row;          // of the error
    double rhs_max;      // the largest |gamma|: what rows ask for, and more than that no contradiction misses by far
} cd_acceleration_residual;

// `rounding` is looked for where the error is more than a part of the terms.
cd_acceleration_residual cd_compute_acceleration_residual(cardan_data* d, const double* a, double tolerance);
// Rows miss by so much more than they ask for that they do not contradict each other: the solve is to blame.
bool cd_residual_exceeds_rhs(const cd_acceleration_residual* residual);
// The error beside the terms, or beside this part of what cancelled, where that is more.
double cd_relative_residual(const cd_acceleration_residual* residual, double cancelled_share);
