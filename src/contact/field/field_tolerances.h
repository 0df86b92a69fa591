// SPDX-License-Identifier: BSD-3-Clause
// Tolerances of smooth height fields.
#pragma once

// [m], relative to 1 m or the distance from the origin of the field: tangential error of the foot of a common normal.
static const double cd_foot_convergence = 1e-12;
// Relative determinant of Newton's matrix: below, the foot is at a centre of curvature.
static const double cd_foot_pivot = 1e-14;
enum { CD_FOOT_ITERATIONS = 50 };
// Feet are the same below this distance relative to the size of the shape and the cell.
static const double cd_same_foot = 1e-6;
// Radius relative to the spacing: a smaller sphere has a single foot, as a point has.
static const double cd_small_sphere = 0.01;
