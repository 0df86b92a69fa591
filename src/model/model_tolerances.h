// SPDX-License-Identifier: BSD-3-Clause
// Tolerances of the description and its compilation.
#pragma once

#include <float.h>

// [-] Deviation of the norm of a quaternion from 1: a larger one is an error of the description; it is normalized below.
static const double cd_unit_quaternion_tolerance = 1e-6;
// [-] Difference of start pose and design pose relative to the position (at least 1 m): the same. Some products of
// transforms; round-off along many joints would otherwise accumulate and open long loops.
static const double cd_start_pose_roundoff = 64 * DBL_EPSILON;
// [DBL_EPSILON] Round-off of the inertia of a subtree relative to the sum of its terms: factor for their number.
static const double cd_inertia_roundoff_terms = 32;
// [-] | |u|^2 - 1 | of directions and quaternions, a squared quantity: a few roundings; such values keep their bits.
static const double cd_unit_norm_tolerance = 8e-16;
// [-] Largest component of a direction: squares of smaller components underflow, the direction is zero.
static const double cd_direction_size_min = 1e-150;
// [-] Entries of the rotation from z to an axis, distance to -1, 0, 1: two roundings; coordinate axes stay exact.
static const double cd_exact_entry_tolerance = 4e-16;
