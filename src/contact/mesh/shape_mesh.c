// SPDX-License-Identifier: BSD-3-Clause
// Triangle mesh as a shape: its box and the local geometry of its features. It has no extreme or nearest points of its
// own: pairs go from triangle to triangle (mesh/surface.h).
#include "contact/mesh/triangle_mesh.h"
#include "contact/shape/shape.h"

#include <stddef.h>

static const char* check(const cd_shape_geometry* g) { return g->mesh ? NULL : "it has no triangles"; }

static double offset(const cd_shape_geometry* g)
{
    (void)g;
    return 0;
}

static void box(const cd_shape_geometry* g, d3* lower, d3* upper)
{
    *lower = g->mesh->lower;
    *upper = g->mesh->upper;
}

static void core_feature(const cd_shape_geometry* g, uint32_t feature, cd_core_feature* f)
{
    const cd_triangle_mesh* m = g->mesh;
    const int               i = cd_feature_index(feature);
    *f                        = (cd_core_feature){.kind = CD_CORE_POINT};
    switch (cd_feature_kind_of(feature)) {
    case CD_FEATURE_VERTEX:
        f->origin = m->vertex[i];
        break;
    case CD_FEATURE_EDGE: {
        const d3 u = m->vertex[m->edge[i].vertex[0]], along = d3_sub(m->vertex[m->edge[i].vertex[1]], u);
        f->kind        = CD_CORE_LINE;
        f->half_length = d3_norm(along) / 2;
        f->axis        = d3_unit(along);
        f->origin      = d3_add_scaled(u, 0.5, along);
        break;
    }
    default: { // face; corner or clipped edge of a face
        const int t = cd_feature_kind_of(feature) == CD_FEATURE_FACE ? i : i / 3;
        f->kind     = CD_CORE_PLANE;
        f->axis     = m->normal[t];
        f->origin   = m->vertex[m->corner[t][0]];
    }
    }
}

const cd_shape_type cd_shape_mesh = {
    .name    = "mesh",
    .bounded = true,
    .check   = check,
    .offset  = offset,
    .feature = core_feature,
    .box     = box,
};
