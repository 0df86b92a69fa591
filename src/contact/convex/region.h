// SPDX-License-Identifier: BSD-3-Clause
// Flat part of a core that faces another shape: point, segment, convex polygon, disc (cap of a cylinder) or ring (torus), in the
// axes of the pair.
#pragma once

#include "contact/contact_pair.h"

typedef enum cd_region_kind {
    CD_REGION_POINT,
    CD_REGION_SEGMENT,
    CD_REGION_POLYGON,
    CD_REGION_DISC,
    CD_REGION_RING
} cd_region_kind;

typedef struct cd_region {
    cd_region_kind kind;
    cd_flat        flat;         // corners (of a disc or ring: points fixed to it), normal and features
    d3             centre, e[2]; // of a disc or ring; unit vectors in its plane
    double         radius;
    bool           has_extreme; // extreme point of a disc, ring, or polyhedron (any_slope)
    d3             extreme;
    uint32_t       extreme_feature;
} cd_region;

// Part of the core of g within `slope` of extreme in the unit direction d. Polyhedra with `any_slope`: the face whose normal is
// nearest to d, or the whole segment.
void cd_region_of(const cd_shape_geometry* g, const cd_shape_pose* pose, d3 d, double slope, bool any_slope,
                  cd_region* region);
// The region has an area and a normal.
static inline bool cd_region_is_face(const cd_region* r)
{
    return r->kind == CD_REGION_POLYGON || r->kind == CD_REGION_DISC;
}
double cd_region_area(const cd_region* r);

// Add the contact points of the incident region above the reference region: a face of A (by_A) or of B. Points nearer than
// `apart` to a point that is already there are not added. n: normal of the contact, from B to A.
void cd_clip_regions(cd_pair* p, const cd_region* reference, const cd_region* incident, bool by_A, d3 n, double apart);
