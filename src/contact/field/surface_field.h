// SPDX-License-Identifier: BSD-3-Clause
// A height field of triangles as a surface (mesh/surface.h), and its edges and vertices by number.
#pragma once

#include "contact/field/height_field.h"
#include "contact/mesh/surface.h"

cd_surface cd_surface_of_field(const cd_height_field* field);
void       cd_field_edge(const cd_height_field* field, int number, d3 end[2]);
void       cd_field_corners(const cd_height_field* field, int triangle, d3 corner[3]);
d3         cd_field_vertex(const cd_height_field* field, int number);
