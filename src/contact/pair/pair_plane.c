// SPDX-License-Identifier: BSD-3-Clause
// Shapes against a plane: all vertices of a polyhedron; else the extreme point of the core towards the plane, and the corners of
// a flat part that is parallel to the plane within cd_flat_slope. The end of a cylinder that stands on a plane is carried by
// eight points of its rim and by the extreme point, where that is defined.
#include "contact/contact_pair.h"
#include "contact/shape/polyhedron.h"
#include "contact/contact_tolerances.h"

#include <stddef.h>

static void add(cd_pair* pair, d3 x, uint32_t feature)
{
    const d3     a = cd_to_world(pair->pose_A, x), n = d3_column(pair->pose_B->R, 2);
    const double height = d3_dot(d3_sub(a, d3_of(pair->pose_B->p)), n);
    cd_pair_add(pair, a, d3_add_scaled(a, -height, n), n, feature, cd_feature(CD_FEATURE_FACE, 0), false);
}

void cd_pair_extreme_plane(cd_pair* pair)
{
    const cd_shape_type* type = cd_shape_type_of(pair->A);
    const d3             down = d3_neg(d3_rotate_back(pair->pose_A->R, d3_column(pair->pose_B->R, 2)));
    uint32_t             feature;
    cd_flat              flat = {0};
    const d3             x    = type->support(pair->A, down, &feature);
    if (type->flat) type->flat(pair->A, down, cd_flat_slope, &flat);
    bool listed = false; // the extreme point is a corner of the flat part
    for (int i = 0; i < flat.n; ++i) {
        add(pair, flat.x[i], flat.corner[i]);
        listed |= flat.corner[i] == feature;
    }
    if (!listed && (flat.n < 3 || hypot(down.e[0], down.e[1]) > cd_extreme_slope)) add(pair, x, feature);
}

void cd_pair_vertices_plane(cd_pair* pair)
{
    cd_polyhedron_storage storage;
    cd_polyhedron         p;
    if (!cd_polyhedron_of(pair->A, &storage, &p)) return;
    for (int i = 0; i < p.nvertex; ++i) add(pair, p.vertex[i], cd_feature(CD_FEATURE_VERTEX, i));
}
