// SPDX-License-Identifier: BSD-3-Clause
// Height field as a shape: its box, the local geometry of its features, and its curvature.
#include "contact/field/surface_field.h"
#include "contact/shape/shape.h"

#include <stddef.h>

static const char* check(const cd_shape_geometry* g) { return g->field ? NULL : "it has no heights"; }

static double offset(const cd_shape_geometry* g)
{
    (void)g;
    return 0;
}

static void box(const cd_shape_geometry* g, d3* lower, d3* upper)
{
    *lower = d3_of(g->field->box.lower);
    *upper = d3_of(g->field->box.upper);
    if (!g->field->d.periodic) return;
    lower->e[0] = -INFINITY; // continued without end
    upper->e[0] = INFINITY;
}

static void core_feature(const cd_shape_geometry* g, uint32_t feature, cd_core_feature* f)
{
    const cd_height_field* field = g->field;
    const cd_feature_kind  kind  = cd_feature_kind_of(feature);
    const int              i     = cd_feature_index(feature);
    *f                           = (cd_core_feature){.kind = CD_CORE_POINT};
    if (field->d.kind != CD_FIELD_TRIANGLES) {
        f->kind = CD_CORE_SURFACE;
    } else if (kind == CD_FEATURE_VERTEX) {
        f->origin = cd_field_vertex(field, i);
    } else if (kind == CD_FEATURE_EDGE) {
        d3 end[2];
        cd_field_edge(field, i, end);
        const d3 along = d3_sub(end[1], end[0]);
        f->kind        = CD_CORE_LINE;
        f->half_length = d3_norm(along) / 2;
        f->axis        = d3_unit(along);
        f->origin      = d3_add_scaled(end[0], 0.5, along);
    } else {
        const cd_surface    surface = cd_surface_of_field(field);
        cd_surface_triangle t;
        surface.triangle(field, kind == CD_FEATURE_FACE ? i : i / 3, &t);
        f->kind   = CD_CORE_PLANE;
        f->axis   = t.normal;
        f->origin = t.corner[0];
    }
}

static double bend(const cd_shape_geometry* g, d3 x, d3 u, d3 v)
{
    cd_height h;
    cd_height_evaluate(g->field, x.e[0], x.e[1], &h);
    return cd_height_bend(&h, u, v);
}

const cd_shape_type cd_shape_height_field = {
    .name    = "height field",
    .bounded = true,
    .check   = check,
    .offset  = offset,
    .feature = core_feature,
    .bend    = bend,
    .box     = box,
};
