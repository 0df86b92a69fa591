// SPDX-License-Identifier: BSD-3-Clause
// Capsule: a segment of half length size[1] on the z axis, with the radius size[0].
#include "contact/shape/shape.h"
#include "math/pi.h"

#include <stddef.h>

static const char* check(const cd_shape_geometry* g) { return g->size[0] > 0 ? NULL : "its radius must be positive"; }

static double offset(const cd_shape_geometry* g) { return g->size[0]; }

static d3 support(const cd_shape_geometry* g, d3 d, uint32_t* feature)
{
    const int end = d.e[2] > 0;
    *feature      = cd_feature(CD_FEATURE_VERTEX, end);
    return (d3){{0, 0, end ? g->size[1] : -g->size[1]}};
}

static double nearest(const cd_shape_geometry* g, d3 x, d3* point, d3* normal, uint32_t* feature)
{
    const double z        = fmax(-g->size[1], fmin(g->size[1], x.e[2]));
    *point                = (d3){{0, 0, z}};
    *feature              = z == x.e[2] ? cd_feature(CD_FEATURE_EDGE, 0) : cd_feature(CD_FEATURE_VERTEX, z > 0);
    const d3     away     = d3_sub(x, *point);
    const double distance = d3_norm(away);
    *normal               = distance > 0 ? d3_scale(1 / distance, away) : d3_axis(0);
    return distance;
}

static void flat(const cd_shape_geometry* g, d3 d, double slope, cd_flat* f)
{
    f->n = 0;
    if (fabs(d.e[2]) > slope * d3_norm(d)) {
        f->x[f->n++] = support(g, d, &f->corner[0]);
        return;
    }
    for (int end = 0; end < 2; ++end) {
        f->corner[f->n] = cd_feature(CD_FEATURE_VERTEX, end);
        f->side[f->n]   = cd_feature(CD_FEATURE_EDGE, 0);
        f->x[f->n++]    = (d3){{0, 0, end ? g->size[1] : -g->size[1]}};
    }
}

static void core_feature(const cd_shape_geometry* g, uint32_t feature, cd_core_feature* f)
{
    *f = (cd_core_feature){.kind = CD_CORE_LINE, .axis = d3_axis(2), .half_length = g->size[1], .offset = g->size[0]};
    if (cd_feature_kind_of(feature) != CD_FEATURE_VERTEX) return;
    f->kind        = CD_CORE_POINT;
    f->origin.e[2] = cd_feature_index(feature) ? g->size[1] : -g->size[1];
}

// Cylinder, and two half spheres whose centres of mass are 3 r/8 outside its ends.
static void mass(const cd_shape_geometry* g, cd_mass_properties* m)
{
    const double r = g->size[0], l = g->size[1], cylinder = 2 * CD_PI * r * r * l, balls = 4.0 / 3 * CD_PI * r * r * r;
    const double axial = cylinder * r * r / 2 + balls * 0.4 * r * r;
    const double cross = cylinder * (r * r / 4 + l * l / 3) + balls * (0.4 * r * r + l * l + 0.75 * l * r);
    *m                 = (cd_mass_properties){.volume = cylinder + balls, .inertia = {cross, cross, axial}};
}

const cd_shape_type cd_shape_capsule = {
    .name      = "capsule",
    .size_name = {"radius", "half length"},
    .convex    = true,
    .bounded   = true,
    .check     = check,
    .offset    = offset,
    .support   = support,
    .nearest   = nearest,
    .flat      = flat,
    .feature   = core_feature,
    .mass      = mass,
};
