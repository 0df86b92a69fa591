// SPDX-License-Identifier: BSD-3-Clause
// Torus against a shape: its circle against the core of the shape. A torus that lies on a face is clipped by it.
#include "contact/contact_tolerances.h"
#include "contact/convex/region.h"
#include "contact/pair/circle_contact.h"

static double distance_of_B(const void* data, d3 x, d3* point, d3* normal, uint32_t* feature)
{
    const cd_pair* p = data;
    const double   d = cd_shape_type_of(p->B)->nearest(p->B, cd_to_shape(p->pose_B, x), point, normal, feature);
    *point           = cd_to_world(p->pose_B, *point);
    *normal          = d3_rotate(p->pose_B->R, *normal);
    return d;
}

void cd_pair_torus(cd_pair* p)
{
    cd_region ring, face;
    d3        n;
    if (!cd_circle_contact(p, distance_of_B, p, &n)) return;
    cd_region_of(p->A, p->pose_A, d3_neg(n), cd_flat_slope, false, &ring);
    cd_region_of(p->B, p->pose_B, n, cd_flat_slope, false, &face);
    if (cd_region_is_face(&face)) cd_clip_regions(p, &face, &ring, false, n, 0);
}
