// SPDX-License-Identifier: BSD-3-Clause
// Convex hull of points, with the radius `rounding` around it. The caller moves the faces inwards if outer dimensions are to
// include it (hull.h).
#include "contact/shape/hull.h"

#include <stddef.h>

static const char* check(const cd_shape_geometry* g) { return g->hull ? NULL : "it has no points"; }

static double offset(const cd_shape_geometry* g) { return g->rounding; }

static d3 support(const cd_shape_geometry* g, d3 d, uint32_t* feature)
{
    return cd_polyhedron_support(&g->hull->p, d, feature);
}

static double nearest(const cd_shape_geometry* g, d3 x, d3* point, d3* normal, uint32_t* feature)
{
    return cd_polyhedron_nearest(&g->hull->p, x, point, normal, feature);
}

static void flat(const cd_shape_geometry* g, d3 d, double slope, cd_flat* f)
{
    cd_polyhedron_flat(&g->hull->p, d, slope, f);
}

static void core_feature(const cd_shape_geometry* g, uint32_t feature, cd_core_feature* f)
{
    cd_polyhedron_feature(&g->hull->p, feature, f);
    f->offset = g->rounding;
}

static void mass(const cd_shape_geometry* g, cd_mass_properties* m) { *m = g->hull->mass; }

const cd_shape_type cd_shape_hull = {
    .name      = "hull",
    .can_round = true,
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
