// SPDX-License-Identifier: BSD-3-Clause
// A ray against axis-aligned boxes, conservative: a box that contains a point of the ray is never missed.
#pragma once

#include "contact/axis_box.h"
#include "contact/ray/ray_tolerances.h"

#include <float.h>

typedef struct cd_slab_ray {
    double origin[3], inverse[3];
    int    far[3]; // 1: the upper side of a box is the far one
} cd_slab_ray;

// The inverse of a zero component is finite, so that no product is NaN.
static inline cd_slab_ray cd_slab_of(d3 origin, d3 direction)
{
    cd_slab_ray s;
    for (int i = 0; i < 3; ++i) {
        const double d = direction.e[i];
        s.origin[i]    = origin.e[i];
        s.inverse[i]   = fabs(d) > DBL_MIN ? 1 / d : copysign(1 / DBL_MIN, d);
        s.far[i]       = s.inverse[i] > 0;
    }
    return s;
}

// The line is inside the box from *enter on, at distances 0 to limit. The interval is widened by the round-off of its
// ends, which is not larger than that of the triangle test.
static inline bool cd_slab_enter(const cd_slab_ray* s, const cd_box* box, double limit, double* enter)
{
    double near = 0, far = limit;
    for (int i = 0; i < 3; ++i) {
        const double low = (box->lower[i] - s->origin[i]) * s->inverse[i];
        const double up  = (box->upper[i] - s->origin[i]) * s->inverse[i];
        const double in = s->far[i] ? low : up, out = s->far[i] ? up : low;
        near = in > near ? in : near;
        far  = out < far ? out : far;
    }
    *enter = near;
    return near <= far * (1 + cd_ray_slack);
}
