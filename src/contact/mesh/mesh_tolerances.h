// SPDX-License-Identifier: BSD-3-Clause
// Tolerances of triangle meshes.
#pragma once

// [rad] Neighbouring triangles count as coplanar below this angle.
static const double cd_flat_dihedral = 1e-6;
// Twice the area of a triangle relative to the square of its longest edge: below, it has no area.
static const double cd_least_triangle = 1e-14;
