// SPDX-License-Identifier: BSD-3-Clause
// Plane: the half space z <= 0 of its frame.
#include "contact/shape/shape.h"

#include <stddef.h>

static double offset(const cd_shape_geometry* g)
{
    (void)g;
    return 0;
}

static double nearest(const cd_shape_geometry* g, d3 x, d3* point, d3* normal, uint32_t* feature)
{
    (void)g;
    *point   = (d3){{x.e[0], x.e[1], 0}};
    *normal  = d3_axis(2);
    *feature = cd_feature(CD_FEATURE_FACE, 0);
    return x.e[2];
}

static void core_feature(const cd_shape_geometry* g, uint32_t feature, cd_core_feature* f)
{
    (void)g, (void)feature;
    *f = (cd_core_feature){.kind = CD_CORE_PLANE, .axis = d3_axis(2)};
}

const cd_shape_type cd_shape_plane = {
    .name = "plane", .convex = true, .offset = offset, .nearest = nearest, .feature = core_feature};
