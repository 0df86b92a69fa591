// SPDX-License-Identifier: BSD-3-Clause
// Rays against plane, box and hull: the intersection of the half spaces n.x <= h of the faces. A half space contains
// an interval of the line; the body is entered at the largest of the lower ends, if it is not above the smallest of
// the upper ends.
#include "contact/ray/ray_shape.h"
#include "contact/shape/hull.h"

#include <stddef.h>

typedef struct interval {
    double enter, leave;
    d3     normal; // of the face where it is entered
    int    face;
} interval;

// Reduce the interval to the half space n.x <= h; false: empty.
static bool cut(interval* in, const cd_local_ray* ray, d3 n, double h, int face)
{
    const double height = d3_dot(n, ray->origin) - h, rate = d3_dot(n, ray->direction);
    if (rate == 0) return height <= 0;
    const double t = -height / rate;
    if (rate > 0) {
        if (t < in->leave) in->leave = t;
    } else if (t > in->enter) {
        *in = (interval){t, in->leave, n, face};
    }
    return in->enter <= in->leave;
}

static bool finish(const interval* in, const cd_local_ray* ray, cd_local_hit* hit)
{
    if (!(in->enter >= 0 && in->enter <= ray->length)) return false;
    *hit = (cd_local_hit){in->enter, in->normal, in->face};
    return true;
}

bool cd_ray_plane(const cd_shape_geometry* g, const cd_local_ray* ray, cd_local_hit* hit)
{
    (void)g;
    interval in = {.enter = -INFINITY, .leave = INFINITY};
    return cut(&in, ray, d3_axis(2), 0, 0) && finish(&in, ray, hit);
}

bool cd_ray_box(const cd_shape_geometry* g, const cd_local_ray* ray, cd_local_hit* hit)
{
    interval in = {.enter = -INFINITY, .leave = INFINITY};
    for (int f = 0; f < 6; ++f)
        if (!cut(&in, ray, d3_scale(f & 1 ? 1 : -1, d3_axis(f / 2)), g->size[f / 2], f)) return false;
    return finish(&in, ray, hit);
}

bool cd_ray_hull(const cd_shape_geometry* g, const cd_local_ray* ray, cd_local_hit* hit)
{
    const cd_polyhedron* p  = &g->hull->p;
    interval             in = {.enter = -INFINITY, .leave = INFINITY};
    for (int f = 0; f < p->nface; ++f)
        if (!cut(&in, ray, p->normal[f], p->height[f], f)) return false;
    return finish(&in, ray, hit);
}
