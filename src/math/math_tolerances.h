// SPDX-License-Identifier: BSD-3-Clause
// Tolerances of factorizations and rotations, [-]: relative to the numbers named.
#pragma once

// ---- row pivoting (block_ldl/row_pivoting.h), relative to the size of rows

// A pivot below the suspect tolerance may be null; one below the weak tolerance before it makes the order bad.
static const double cd_pivot_suspect_tolerance = 1e-5, cd_pivot_weak_tolerance = 0.3;
// The same off the constraints, where the order is kept as long as possible.
static const double cd_pivot_weak_tolerance_frozen = 1e-3;
// Factor by which a row would have had a larger pivot earlier.
static const double cd_pivot_better_factor = 3;
// A null pivot above it, before one that is not null, hides the content of the rows after it.
static const double cd_pivot_residue_tolerance = 1e-13;
// Tolerance of null pivots relative to the constraint: up to it, constraints count as satisfied, and rows may be
// reordered.
static const double cd_pivot_reorder_tolerance = 1e-18;
// Round-off of a pivot: some hundred times DBL_EPSILON.
static const double cd_pivot_roundoff = 2e-14;
// Pivot of the wrong sign: up to it, round-off.
static const double cd_pivot_wrong_sign_tolerance = 1e-6;
// Part of the largest pivot: the first row above it is selected, so that the choice does not depend on round-off where
// several pivots are equal.
static const double cd_pivot_candidate_ratio = 0.5;
// Size of a row relative to the largest: scale of smaller rows, which are about to vanish.
static const double cd_pivot_small_row_ratio = 1e-6;

// ---- other factorizations

// Positive pivot of the block LDL' relative to its scale; of a block of a tree relative to its diagonal entry: a smaller
// one is a motion without inertia.
static const double cd_block_massless_tolerance = 1e-13, cd_block_tree_null_pivot = 1e-13;
// Norm of a column of rows of unit norm: a smaller one is zero. The rank tolerance of searches for redundant rows.
static const double cd_zero_column_norm = 1e-9;
// Reciprocal pivot growth of a sparse LU: below it, the pivot order is chosen anew.
static const double cd_min_reciprocal_growth = 1e-6;

// ---- rotations

// Deviation of a squared norm from 1: up to it, quaternions are normalized by series.
static const double cd_norm_series_deviation = 1e-6;
// The same: up to it, a quaternion is not changed, so that normalization is idempotent.
static const double cd_norm_roundoff = 1e-15;
// Sine of half a rotation angle, and the same squared: series of the rotation vector below.
static const double cd_log_series_sine = 1e-8, cd_log_series_sine_sq = 1e-10;
