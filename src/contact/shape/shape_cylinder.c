// SPDX-License-Identifier: BSD-3-Clause
// Cylinder about z: radius size[0], half length size[1], which include the rounding. Caps 0 at the lower, 1 at the upper end;
// eight points of each rim are fixed to the shape and carry it when it stands on a cap.
#include "contact/shape/shape.h"
#include "math/pi.h"

#include <stddef.h>

enum { RIM_POINTS = 8 };

static const char* check(const cd_shape_geometry* g)
{
    if (!(g->size[0] > 0 && g->size[1] > 0)) return "its radius and half length must be positive";
    if (g->rounding >= g->size[0] || g->rounding >= g->size[1])
        return "its rounding must be smaller than its radius and half length";
    return NULL;
}

static double offset(const cd_shape_geometry* g) { return g->rounding; }

static double core_radius(const cd_shape_geometry* g) { return g->size[0] - g->rounding; }
static double core_length(const cd_shape_geometry* g, int end)
{
    return end ? g->size[1] - g->rounding : g->rounding - g->size[1];
}

static d3 rim_point(const cd_shape_geometry* g, d3 d, int end)
{
    const double m = hypot(d.e[0], d.e[1]), r = core_radius(g);
    if (m == 0) return (d3){{r, 0, core_length(g, end)}};
    return (d3){{r * d.e[0] / m, r * d.e[1] / m, core_length(g, end)}};
}

static d3 support(const cd_shape_geometry* g, d3 d, uint32_t* feature)
{
    const int end = d.e[2] > 0;
    *feature      = cd_feature(CD_FEATURE_CIRCLE, end);
    return rim_point(g, d, end);
}

static double nearest(const cd_shape_geometry* g, d3 x, d3* point, d3* normal, uint32_t* feature)
{
    const double m = hypot(x.e[0], x.e[1]), radial = m - core_radius(g), axial = fabs(x.e[2]) - core_length(g, 1);
    const int    end = x.e[2] > 0;
    const d3     out = m > 0 ? (d3){{x.e[0] / m, x.e[1] / m, 0}} : d3_axis(0);
    if (radial > 0 && axial > 0) {
        const double distance = hypot(radial, axial);
        *point                = rim_point(g, x, end);
        *normal  = d3_scale(1 / distance, d3_add_scaled(d3_scale(radial, out), end ? axial : -axial, d3_axis(2)));
        *feature = cd_feature(CD_FEATURE_CIRCLE, end);
        return distance;
    }
    *point = x;
    if (radial > axial) {
        *normal     = out;
        *point      = d3_scale(core_radius(g), out);
        point->e[2] = x.e[2];
        *feature    = cd_feature(CD_FEATURE_SIDE, 0);
        return radial;
    }
    *normal     = d3_scale(end ? 1 : -1, d3_axis(2));
    point->e[2] = core_length(g, end);
    *feature    = cd_feature(CD_FEATURE_FACE, end);
    return axial;
}

static d3 fixed_rim_point(const cd_shape_geometry* g, int end, int i)
{
    const double angle = 2 * CD_PI / RIM_POINTS * i;
    return (d3){{core_radius(g) * cos(angle), core_radius(g) * sin(angle), core_length(g, end)}};
}

static void flat(const cd_shape_geometry* g, d3 d, double slope, cd_flat* f)
{
    const double length = d3_norm(d), m = hypot(d.e[0], d.e[1]);
    const int    end = d.e[2] > 0;
    f->n             = 0;
    if (m <= slope * length) {
        f->n      = RIM_POINTS;
        f->face   = cd_feature(CD_FEATURE_FACE, end);
        f->normal = d3_scale(end ? 1 : -1, d3_axis(2));
        for (int k = 0; k < RIM_POINTS; ++k) { // counter-clockwise seen from outside
            const int i  = end ? k : RIM_POINTS - 1 - k;
            f->x[k]      = fixed_rim_point(g, end, i);
            f->corner[k] = cd_feature(CD_FEATURE_RIM, RIM_POINTS * end + i);
            f->side[k]   = cd_feature(CD_FEATURE_FACE, end);
        }
    } else if (fabs(d.e[2]) <= slope * length) {
        for (int k = 0; k < 2; ++k) {
            f->x[f->n]        = rim_point(g, d, k);
            f->side[f->n]     = cd_feature(CD_FEATURE_SIDE, 0);
            f->corner[f->n++] = cd_feature(CD_FEATURE_CIRCLE, k);
        }
    } else {
        f->x[f->n++] = support(g, d, &f->corner[0]);
    }
}

static void core_feature(const cd_shape_geometry* g, uint32_t feature, cd_core_feature* f)
{
    const int i = cd_feature_index(feature);
    *f          = (cd_core_feature){.axis = d3_axis(2), .offset = g->rounding};
    switch (cd_feature_kind_of(feature)) {
    case CD_FEATURE_FACE:
        f->kind        = CD_CORE_PLANE;
        f->axis        = d3_scale(i ? 1 : -1, d3_axis(2));
        f->origin.e[2] = core_length(g, i);
        break;
    case CD_FEATURE_SIDE:
        f->kind        = CD_CORE_LINE;
        f->half_length = core_length(g, 1);
        f->offset      = g->size[0];
        break;
    case CD_FEATURE_CIRCLE:
        f->kind        = CD_CORE_CIRCLE;
        f->radius      = core_radius(g);
        f->origin.e[2] = core_length(g, i & 1); // higher bits: which of two crossings with a side plane
        break;
    default:
        f->kind   = CD_CORE_POINT;
        f->origin = fixed_rim_point(g, i / RIM_POINTS, i % RIM_POINTS);
    }
}

// The rounding is neglected: its part of the volume is of the order of its square.
static void mass(const cd_shape_geometry* g, cd_mass_properties* m)
{
    const double r = g->size[0], l = g->size[1], volume = 2 * CD_PI * r * r * l, I = volume * (r * r / 4 + l * l / 3);
    *m = (cd_mass_properties){.volume = volume, .inertia = {I, I, volume * r * r / 2}};
}

const cd_shape_type cd_shape_cylinder = {
    .name      = "cylinder",
    .size_name = {"radius", "half length"},
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
