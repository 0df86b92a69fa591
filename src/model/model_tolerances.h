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
