// SPDX-License-Identifier: BSD-3-Clause
// Torus about z: a circle of radius size[0] in the plane z = 0 with the radius size[1] around it; 0: a thin ring. It is not
// convex. Three points of the circle are fixed to the shape and carry it when it lies flat.
#include "contact/shape/shape.h"
#include "math/pi.h"

#include <stddef.h>

static const char* check(const cd_shape_geometry* g)
{
    if (!(g->size[0] > 0)) return "the radius of its circle must be positive";
    return g->size[1] <= g->size[0] ? NULL : "the radius of its tube must not be larger than that of its circle";
}

static double offset(const cd_shape_geometry* g) { return g->size[1]; }

static d3 support(const cd_shape_geometry* g, d3 d, uint32_t* feature)
{
    const double m = hypot(d.e[0], d.e[1]), R = g->size[0];
    *feature = cd_feature(CD_FEATURE_CIRCLE, 0);
    return m > 0 ? (d3){{R * d.e[0] / m, R * d.e[1] / m, 0}} : (d3){{R, 0, 0}};
}

static double nearest(const cd_shape_geometry* g, d3 x, d3* point, d3* normal, uint32_t* feature)
{
    *point                = support(g, x, feature);
    const d3     away     = d3_sub(x, *point);
    const double distance = d3_norm(away);
    *normal               = distance > 0 ? d3_scale(1 / distance, away) : d3_axis(2);
    return distance;
}

static d3 fixed_point(const cd_shape_geometry* g, int i)
{
    return (d3){{g->size[0] * cos(2 * CD_PI / 3 * i), g->size[0] * sin(2 * CD_PI / 3 * i), 0}};
}

static void flat(const cd_shape_geometry* g, d3 d, double slope, cd_flat* f)
{
    f->n = 0;
    if (hypot(d.e[0], d.e[1]) > slope * d3_norm(d)) {
        f->x[f->n++] = support(g, d, &f->corner[0]);
        return;
    }
    const bool up = d.e[2] > 0;
    f->face       = cd_feature(CD_FEATURE_FACE, up);
    f->normal     = d3_scale(up ? 1 : -1, d3_axis(2));
    for (f->n = 0; f->n < 3; ++f->n) {
        const int i     = up ? f->n : 2 - f->n;
        f->x[f->n]      = fixed_point(g, i);
        f->corner[f->n] = cd_feature(CD_FEATURE_RIM, i);
        f->side[f->n]   = f->face;
    }
}

static void core_feature(const cd_shape_geometry* g, uint32_t feature, cd_core_feature* f)
{
    *f = (cd_core_feature){.kind = CD_CORE_CIRCLE, .axis = d3_axis(2), .radius = g->size[0], .offset = g->size[1]};
    if (cd_feature_kind_of(feature) != CD_FEATURE_RIM) return;
    f->kind   = CD_CORE_POINT;
    f->origin = fixed_point(g, cd_feature_index(feature));
}

static void mass(const cd_shape_geometry* g, cd_mass_properties* m)
{
    const double R = g->size[0], r = g->size[1], volume = 2 * CD_PI * CD_PI * R * r * r;
    const double cross = volume * (R * R / 2 + 0.625 * r * r), axial = volume * (R * R + 0.75 * r * r);
    *m = (cd_mass_properties){.volume = volume, .inertia = {cross, cross, axial}};
}

const cd_shape_type cd_shape_torus = {
    .name      = "torus",
    .size_name = {"radius of the circle", "radius of the tube"},
    .bounded   = true,
    .check     = check,
    .offset    = offset,
    .support   = support,
    .nearest   = nearest,
    .flat      = flat,
    .feature   = core_feature,
    .mass      = mass,
};
