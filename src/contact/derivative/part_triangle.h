// SPDX-License-Identifier: BSD-3-Clause
// Parts of a face of a mesh or height field, seen as parts of a single triangle.
#pragma once

#include "contact/derivative/derivative.h"
#include "contact/shape/hull.h"

typedef struct cd_part_triangle {
    cd_triangle_hull  hull;
    cd_shape_geometry shape;
} cd_part_triangle;

// Replace the shape and the feature of an end whose feature is a part of a face of a mesh or field; other shapes remain.
void cd_part_to_triangle(cd_derivative_end* end, cd_part_triangle* part);
