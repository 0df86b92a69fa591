// SPDX-License-Identifier: BSD-3-Clause
// Tolerances of the diagnosis. Directions, twists and self-stress vectors have unit norm, lengths are relative to the
// length of the loop or of the design, so that most tolerances have no unit [-]. Violations: assembly_tolerances.h.
#pragma once

// ---- rank

// [-] Singular value relative to the largest, or to 1; remaining norm of a unit vector after orthogonalization: smaller
// ones are zero. Far above the round-off of axes and positions, some 1e-15.
static const double cd_diagnosis_rank_tolerance = 1e-9;
// [-] Remaining norm of the components of self-stress vectors in one coordinate: a smaller one is round-off of these
// vectors, which come from a null space that is computed to the rank tolerance.
static const double cd_stress_independence = 1e-7;
// [-] The same for a unit vector, and for a release relative to its own row: clearly independent ones are preferred.
static const double cd_clear_stress_independence = 1e-3;
// [-] Self-stress at a joint, relative to a vector of unit norm: a smaller one is round-off.
static const double cd_stress_roundoff = 1e-6;
// [-] Size of a row after a change of units, relative to the row: a row without effect in these coordinates.
static const double cd_row_roundoff = 1e-12;
// [-] Pivot of mass matrix and rows, scaled to unit diagonal: a smaller one is a motion without inertia and constraint.
static const double cd_unresisted_motion_tolerance = 1e-11;
// [-] Smallest singular value of rows of unit norm: a smaller one is reported as nearly singular.
static const double cd_nearly_singular_value = 1e-4;
// [-] Component of a singular vector relative to the largest: constraints with a smaller one are not named.
static const double cd_min_participation = 0.05;
// [-] Inconsistent part of the rates of drivers relative to the largest rate: a smaller one is round-off.
static const double cd_inconsistent_rate_tolerance = 1e-8;
// [-] Times the largest violation of the assembled configuration: tolerance of violations at nearby configurations.
static const double cd_nearby_violation_factor = 10;

// ---- geometry

// [-] Sine or cosine of two axes, distance relative to the length of the loop, pitch of a wrench relative to its force:
// a smaller one is zero, as by design.
static const double cd_geometry_tolerance = 1e-7;
// [-] Factor of that tolerance for points that are computed from several axes.
static const double cd_computed_point_factor = 10;
// [-] Determinant of the equations of the point nearest to axes: a smaller one means parallel axes.
static const double cd_parallel_axes_determinant = 1e-12;
// [-] Squared force of a wrench of unit norm: a smaller one is a pure moment.
static const double cd_pure_moment_force_sq = 1e-14;
// [-] Squared rotation of a twist of unit norm: a smaller one is a translation.
static const double cd_pure_translation_rotation_sq = 1e-12;
// [-] Sum of squared components of unit vectors in a direction: a smaller one is not spanned.
static const double cd_spanned_direction_sq = 1e-12;
// [-] Deviation of a direction cosine from 1, or of two components from each other: the same direction.
static const double cd_same_direction_tolerance = 1e-9;
// [-] Length of a loop relative to the design length: the joints of a smaller one are at one point.
static const double cd_min_loop_length = 1e-9;
// [-] Excess of a mass above the average: round-off of the average.
static const double cd_average_mass_roundoff = 1e-9;

// ---- text

// [-] Part of a violation relative to the other (translation, rotation times length): a smaller one is not written.
static const double cd_written_violation_part = 1e-3;
// [m, rad] Violation that is written as exactly satisfied.
static const double cd_exact_violation = 1e-30;
// [-] Component of a direction: a smaller one is written as 0.
static const double cd_written_component = 5e-7;
