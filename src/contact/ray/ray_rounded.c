// SPDX-License-Identifier: BSD-3-Clause
// Rays against a convex core with a radius around it. The signed distance along the line, f(t) = d(o + t d), is convex with the
// slope n.d, so that Newton's method from a point outside converges to the first root without passing it; a slope that is not
// negative while f > 0 proves that there is none.
#include "contact/ray/ray_shape.h"
#include "contact/ray/ray_tolerances.h"

#include <stddef.h>

bool cd_ray_rounded(const cd_shape_geometry* g, const cd_local_ray* ray, cd_local_hit* hit)
{
    const cd_shape_type* type = cd_shape_type_of(g);
    const double         r = type->offset(g), least = cd_ray_convergence * cd_shape_length(g);
    double               t = 0;
    d3                   point, normal = d3_zero();
    uint32_t             feature = 0;
    for (int k = 0; k < CD_RAY_ITERATIONS; ++k) {
        const double f = type->nearest(g, cd_ray_at(ray, t), &point, &normal, &feature) - r;
        if (k == 0 && f < 0) return false; // begins inside
        if (f <= least) break;
        const double slope = d3_dot(normal, ray->direction);
        if (slope >= 0) return false;
        t -= f / slope;
        if (t > ray->length) return false;
    }
    const bool face = cd_feature_kind_of(feature) == CD_FEATURE_FACE;
    *hit            = (cd_local_hit){t, normal, face ? cd_feature_index(feature) : 0};
    return d3_dot(normal, ray->direction) <= 0;
}
