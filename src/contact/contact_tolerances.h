// SPDX-License-Identifier: BSD-3-Clause
// Tolerances of the collision geometry.
#pragma once

// [rad] A flat part of a surface counts as parallel to the other surface up to this angle: several contact points.
static const double cd_flat_slope = 1e-3;
// [rad] The extreme point of a circle is defined above this angle between its plane and the other surface.
static const double cd_extreme_slope = 1e-9;
// Distance of a corner from the plane of a neighbouring triangle, relative to the size of the hull: one face.
static const double cd_hull_flatness = 1e-10;
// The same of a vertex outside a face: round-off.
static const double cd_hull_convexity = 1e-9;
// [rad] Neighbouring triangles of a mesh count as coplanar below this angle.
static const double cd_flat_dihedral = 1e-6;
// Twice the area of a triangle relative to the square of its longest edge: below, it has no area.
static const double cd_least_triangle = 1e-14;
// Error of the distance of a ray from a rounded shape relative to its size, and the largest number of Newton steps.
static const double cd_ray_convergence = 1e-15;
enum { CD_RAY_ITERATIONS = 100 };
// Round-off of the interval of a ray in a box, relative to the distance.
static const double cd_ray_slack = 1e-14;
