// SPDX-License-Identifier: BSD-3-Clause
// Tolerances of factorizations and rotations, [-] unless a unit is given: relative to the numbers named.
#pragma once

// ---- row pivoting (block_ldl/row_pivoting.h), relative to the size of rows; pivots and sizes are squares of singular
// values and norms of J M^-1/2

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
// Squared norm of a row relative to the largest: scale of smaller rows, which are about to vanish.
static const double cd_pivot_small_row_ratio_sq = 1e-6;

// ---- other factorizations

// Pivot of a velocity relative to the inertia scale of that velocity (inertia before any elimination): smaller pivots
// are round-off, and the motion has no inertia. A sum of a few hundred terms has an error of 1e-14.
static const double cd_massless_pivot = 1e-13;
// Pivot of a block of a tree, of M or of G M^-1 G', relative to its diagonal entry: a smaller one is round-off.
static const double cd_block_tree_null_pivot = 1e-13;
// Norm of a column of rows of unit norm: a smaller one is zero. The rank tolerance of searches for redundant rows.
static const double cd_zero_column_norm = 1e-9;
// Reciprocal pivot growth of a sparse LU: below it, the pivot order is chosen anew.
static const double cd_min_reciprocal_growth = 1e-6;

// ---- cost

// [multiplications] Factorization by block LDL': with fewer ones, one thread is faster than several.
static const double cd_block_min_work_for_threads = 4e5;
// [bytes] Numbers of a block LDL': with more they exceed the cache, and columns are prefetched.
static const double cd_prefetch_min_bytes = 5e5;

// ---- rotations

// Deviation of a squared norm from 1: up to it, quaternions are normalized by series.
static const double cd_norm_series_deviation = 1e-6;
// The same: up to it, a quaternion is not changed, so that normalization is idempotent.
static const double cd_norm_roundoff = 1e-15;
// Sine of half a rotation angle: below it, the first term of the series of the rotation vector is exact to round-off.
static const double cd_log_linear_sine = 1e-8;
// The same squared: below it, two terms are exact to round-off, which derivatives of numbers with derivatives need.
static const double cd_log_series_sine_sq = 1e-10;
// [rad^2] Squared angle of a rotation vector: up to it, series of the quaternion are exact to round-off.
static const double cd_exp_series_angle_sq = 0.01;
