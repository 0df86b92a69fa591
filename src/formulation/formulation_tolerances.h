// SPDX-License-Identifier: BSD-3-Clause
// Tolerances that several formulations share. All are ratios [-]; names with _sq are compared with squared quantities.
// Tolerances of a single algorithm are defined in its file.
#pragma once

#include "math/math_tolerances.h" // cd_massless_pivot

// Pivot of a row relative to what was subtracted from its diagonal entry, the square of a singular value of J M^-1/2:
// smaller pivots are null, and the row is redundant. Reason: round-off of entries that cancel is 1e-13 to 1e-11 in
// mechanisms of some hundred bodies; independent rows of mechanisms of ordinary mass ratios are above 1e-8.
static const double cd_null_row_pivot_sq = 1e-10;

// Norm of a row relative to the largest row of its constraint: smaller rows are scaled by this bound instead of their
// norm. Reason: a row that vanishes at the configuration would otherwise count by its round-off.
static const double cd_small_row_ratio = 1e-3;

// Relative pivot, as cd_null_row_pivot_sq, below which a solution loses so many digits that refinement is useful:
// 1e-4 leaves 12 digits of 16.
static const double cd_refine_below_pivot = 1e-4;
