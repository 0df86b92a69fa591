// SPDX-License-Identifier: BSD-3-Clause
// Rays against a torus: with x = m + t d measured from the point m of the line nearest to the centre, the surface is
//
//     (x.x + R^2 - r^2)^2 - 4 R^2 (x_1^2 + x_2^2) = 0
//
// a quartic in t. Its roots are separated by those of its derivative, and these by those of the next
// (contact/ray/polynomial_roots.h). The first root where the line comes from outside is the hit.
#include "contact/ray/ray_shape.h"
#include "contact/ray/polynomial_roots.h"

#include <stddef.h>

bool cd_ray_torus(const cd_shape_geometry* g, const cd_local_ray* ray, cd_local_hit* hit)
{
    const double R = g->size[0], r = g->size[1], s = -d3_dot(ray->origin, ray->direction);
    const d3     m = cd_ray_at(ray, s), d = ray->direction;
    const double reach = (R + r) * (R + r) - d3_dot(m, m);
    if (reach < 0) return false;
    // with m.d = 0: x.x = m.m + t^2; lengths divided by R + r
    const double unit = R + r, mm = d3_dot(m, m) / (unit * unit), RR = R * R / (unit * unit),
                 rr = r * r / (unit * unit);
    const double a = mm + RR - rr, xx = (m.e[0] * m.e[0] + m.e[1] * m.e[1]) / (unit * unit);
    const double xd = (m.e[0] * d.e[0] + m.e[1] * d.e[1]) / unit, dd = d.e[0] * d.e[0] + d.e[1] * d.e[1];
    const double quartic[5] = {a * a - 4 * RR * xx, -8 * RR * xd, 2 * a - 4 * RR * dd, 0, 1};
    const double end        = 1.000001 * sqrt(reach) / unit;
    double       root[4];
    const int    n = cd_polynomial_roots(4, quartic, -end, end, root);
    for (int i = 0; i < n; ++i) {
        const double t = s + unit * root[i];
        if (t < 0 || t > ray->length) continue;
        const d3     x = cd_ray_at(ray, t);
        const double q = hypot(x.e[0], x.e[1]);
        if (q == 0) continue;
        const d3 away = {{x.e[0] - R * x.e[0] / q, x.e[1] - R * x.e[1] / q, x.e[2]}};
        if (d3_dot(away, d) > 0) continue; // leaves the tube
        *hit = (cd_local_hit){t, d3_unit(away), 0};
        return true;
    }
    return false;
}
