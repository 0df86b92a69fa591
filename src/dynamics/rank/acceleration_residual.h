// SPDX-License-Identifier: BSD-3-Clause
// Residual of the constraint rows at acceleration level, independent of units and of the speed of the mechanism.
#pragma once

#include "dynamics/data.h"

typedef struct cd_acceleration_residual {
    double max_residual;    // max |J a - gamma| over all rows
    double term_scale;      // largest term of any row
    double cancelled_scale; // size of terms that cancelled before; 0 if not computed
    int    row;             // row of max_residual
    double rhs_max;         // max |gamma|: inconsistent rows fail by about this size at most
} cd_acceleration_residual;

// Compute the residual. cancelled_scale is computed only if the residual exceeds tolerance times the largest term.
cd_acceleration_residual cd_compute_acceleration_residual(cardan_data* d, const double* a, double tolerance);
// Whether the residual is so much larger than gamma that it results from the solve and not from inconsistent rows.
bool cd_residual_exceeds_rhs(const cd_acceleration_residual* residual);
// Residual relative to the larger of term_scale and cancelled_share times cancelled_scale.
double cd_relative_residual(const cd_acceleration_residual* residual, double cancelled_share);
