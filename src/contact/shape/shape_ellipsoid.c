// SPDX-License-Identifier: BSD-3-Clause
// Ellipsoid with the semi-axes size[0..2] along x, y, z. The nearest point to y is x_i = D_i^2 y_i/(D_i^2 + t), where t is the
// largest root of F(t) = sum (D_i y_i/(D_i^2 + t))^2 - 1. F is convex and decreasing there, so that Newton's method from
// the left converges monotonically.
//
// D. Eberly, Distance from a point to an ellipse, an ellipsoid, or a hyperellipsoid (Geometric Tools, 2013).
#include "contact/shape/shape.h"
#include "math/pi.h"

#include <float.h>
#include <stddef.h>

static const char* check(const cd_shape_geometry* g)
{
    for (int i = 0; i < 3; ++i)
        if (!(g->size[i] > 0)) return "its semi-axes must be positive";
    return NULL;
}

static double offset(const cd_shape_geometry* g)
{
    (void)g;
    return 0;
}

static d3 support(const cd_shape_geometry* g, d3 d, uint32_t* feature)
{
    d3 x = {{g->size[0] * d.e[0], g->size[1] * d.e[1], g->size[2] * d.e[2]}};
    x    = d3_unit(x);
    for (int i = 0; i < 3; ++i) x.e[i] *= g->size[i];
    *feature = cd_feature(CD_FEATURE_SURFACE, 0);
    return x;
}

// q_i = D_i^2 + t of the nearest point to y, by the unknown u = t + min D^2, which keeps its digits near the plane of symmetry
// of the smallest semi-axis. With y on that plane and near the centre there is no root: u = 0.
static void root(const double D[3], d3 y, double q[3])
{
    double least = D[0], most = 0, along = 0;
    for (int i = 1; i < 3; ++i) least = fmin(least, D[i]);
    for (int i = 0; i < 3; ++i) {
        most += y.e[i] / D[i] * (y.e[i] / D[i]);
        if (D[i] == least) along = hypot(along, y.e[i]);
    }
    double u = most < 1 ? least * along : least * least; // inside: there the smallest semi-axes alone give F >= 0
    for (int k = 0; k < 200; ++k) {
        double F = -1, slope = 0;
        for (int i = 0; i < 3; ++i) {
            const double r = (D[i] - least) * (D[i] + least) + u, w = y.e[i] == 0 ? 0 : D[i] * y.e[i] / r;
            F += w * w;
            if (w != 0) slope -= 2 * w * w / r;
        }
        const double next = u - F / slope;
        if (!(slope < 0) || !(F > 0) || !(next > u)) break;
        u = next;
    }
    for (int i = 0; i < 3; ++i) q[i] = (D[i] - least) * (D[i] + least) + u;
}

static double nearest(const cd_shape_geometry* g, d3 y, d3* point, d3* normal, uint32_t* feature)
{
    const double* D       = g->size;
    double        rest    = 1, q[3];
    int           missing = -1;
    root(D, y, q);
    for (int i = 0; i < 3; ++i) {
        if (y.e[i] == 0 && q[i] <= 8 * DBL_EPSILON * D[i] * D[i]) {
            missing = i; // y on the plane of symmetry of the smallest semi-axis: two nearest points
            continue;
        }
        point->e[i] = D[i] * D[i] * y.e[i] / q[i];
        rest -= point->e[i] / D[i] * (point->e[i] / D[i]);
    }
    if (missing >= 0) {
        for (int i = 0; i < 3; ++i)
            if (y.e[i] == 0 && D[i] == D[missing]) point->e[i] = 0;
        point->e[missing] = D[missing] * sqrt(fmax(0, rest));
    }
    for (int i = 0; i < 3; ++i) normal->e[i] = point->e[i] / (D[i] * D[i]);
    *normal  = d3_unit(*normal);
    *feature = cd_feature(CD_FEATURE_SURFACE, 0);
    return d3_dot(d3_sub(y, *point), *normal);
}

static void core_feature(const cd_shape_geometry* g, uint32_t feature, cd_core_feature* f)
{
    (void)feature;
    *f = (cd_core_feature){.kind = CD_CORE_ELLIPSOID, .semi_axes = d3_of(g->size)};
}

static void mass(const cd_shape_geometry* g, cd_mass_properties* m)
{
    const double a = g->size[0], b = g->size[1], c = g->size[2], volume = 4.0 / 3 * CD_PI * a * b * c, k = volume / 5;
    *m = (cd_mass_properties){.volume  = volume,
                              .inertia = {k * (b * b + c * c), k * (a * a + c * c), k * (a * a + b * b)}};
}

const cd_shape_type cd_shape_ellipsoid = {
    .name      = "ellipsoid",
    .size_name = {"semi-axis x", "semi-axis y", "semi-axis z"},
    .convex    = true,
    .bounded   = true,
    .check     = check,
    .offset    = offset,
    .support   = support,
    .nearest   = nearest,
    .feature   = core_feature,
    .mass      = mass,
};
