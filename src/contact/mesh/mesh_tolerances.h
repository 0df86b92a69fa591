// SPDX-License-Identifier: BSD-3-Clause
// Tolerances of triangle meshes.
#pragma once

// [rad] Neighbouring triangles count as coplanar below this angle.
static const double cd_flat_dihedral = 1e-6;
// Twice the area of a triangle relative to the square of its longest edge: below, it has no area.
static const double cd_least_triangle = 1e-14;
// Sine of the angle by which a normal may leave the cone of an edge or vertex: error of normals of iterated pairs.
static const double cd_cone_slack = 1e-8;
// Contact points are at the same place below this distance relative to the size of the shape, and have the same normal
// below this difference: twice the flatness of an edge.
static const double cd_same_place  = 1e-9;
static const double cd_same_normal = 2e-6;
// Normals of triangles in one plane: round-off.
static const double cd_same_plane = 1e-10;
