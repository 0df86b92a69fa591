// SPDX-License-Identifier: BSD-3-Clause
// A part of a face of a surface has the number 3 t + i of its triangle t (mesh/surface.h). The triangle alone is a
// hull whose face 0 is its front.
#include "contact/derivative/part_triangle.h"
#include "contact/field/surface_field.h"

void cd_part_to_triangle(cd_derivative_end* end, cd_part_triangle* part)
{
    const cd_shape_geometry* g = end->g;
    if (g->kind != CD_SHAPE_MESH && g->kind != CD_SHAPE_HEIGHT_FIELD) return;
    const cd_surface surface = g->kind == CD_SHAPE_MESH ? cd_surface_of_mesh(g->mesh) : cd_surface_of_field(g->field);
    const int        number  = cd_feature_index(end->feature);
    cd_surface_triangle t;
    surface.triangle(surface.data, number / 3, &t);
    cd_triangle_hull_init(&part->hull, t.corner[0].e, t.corner[1].e, t.corner[2].e);
    part->shape  = (cd_shape_geometry){.kind = CD_SHAPE_HULL, .hull = &part->hull.hull};
    end->g       = &part->shape;
    end->feature = cd_feature_part(cd_feature_kind_of(end->feature), 0, number % 3);
}
