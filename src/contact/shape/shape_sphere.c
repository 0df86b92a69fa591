// SPDX-License-Identifier: BSD-3-Clause
// Sphere: a point with the radius size[0].
#include "contact/shape/shape.h"
#include "math/pi.h"

#include <stddef.h>

static const char* check(const cd_shape_geometry* g) { return g->size[0] > 0 ? NULL : "its radius must be positive"; }

static double offset(const cd_shape_geometry* g) { return g->size[0]; }

static d3 support(const cd_shape_geometry* g, d3 d, uint32_t* feature)
{
    (void)g, (void)d;
    *feature = cd_feature(CD_FEATURE_VERTEX, 0);
    return d3_zero();
}

static double nearest(const cd_shape_geometry* g, d3 x, d3* point, d3* normal, uint32_t* feature)
{
    (void)g;
    const double distance = d3_norm(x);
    *point                = d3_zero();
    *normal               = distance > 0 ? d3_scale(1 / distance, x) : d3_axis(2);
    *feature              = cd_feature(CD_FEATURE_VERTEX, 0);
    return distance;
}

static void core_feature(const cd_shape_geometry* g, uint32_t feature, cd_core_feature* f)
{
    (void)feature;
    *f = (cd_core_feature){.kind = CD_CORE_POINT, .offset = g->size[0]};
}

static void mass(const cd_shape_geometry* g, cd_mass_properties* m)
{
    const double r = g->size[0], volume = 4.0 / 3 * CD_PI * r * r * r, I = 0.4 * volume * r * r;
    *m = (cd_mass_properties){.volume = volume, .inertia = {I, I, I}};
}

const cd_shape_type cd_shape_sphere = {
    .name      = "sphere",
    .size_name = {"radius"},
    .convex    = true,
    .bounded   = true,
    .check     = check,
    .offset    = offset,
    .support   = support,
    .nearest   = nearest,
    .feature   = core_feature,
    .mass      = mass,
};
