// SPDX-License-Identifier: BSD-3-Clause
// A sphere, capsule, box, cylinder, ellipsoid, torus or hull A against one triangle, for meshes and height fields.
//
// The triangle has the corners a, b, c in the world, counter-clockwise seen from its front, and no thickness: material is
// behind it. Contact points are those of cd_collide with the triangle as B: a on the shape, b on the triangle, the unit
// normal from the triangle to the shape, the gap with the radius of A subtracted, and the key with the feature of the shape
// in its upper half and the feature of the triangle in its lower half. The feature of the triangle
// (cd_contact_feature(point, 1)) is
//
//   CD_FEATURE_FACE    0      the interior; the normal is that of the face, or for an overlap that of a face of the shape
//   CD_FEATURE_EDGE    0..2   edge i from corner i to the next
//   CD_FEATURE_VERTEX  0..2   corner i
//   CD_FEATURE_CLIP           part(0, i): the side plane over edge i cuts an edge of the shape; the normal is the face's
//   CD_FEATURE_CORNER         part(0, i): corner i is below a face of the shape; the normal is the face's
//
// cd_triangle_part gives kind and number of the part of the triangle that b lies on for all of these.
#pragma once

#include "contact/shape/hull.h"

typedef struct cd_triangle {
    double corner[3][3]; // world
} cd_triangle;

// Contact points with gap < margin, at most `capacity` (CD_CONTACT_POINTS_MAX suffices). The normals are on the front: n'f >= 0
// with f the normal of the face. For shapes apart from the triangle the normal is that of the nearest points, whatever feature
// of the triangle they lie on: the caller restricts normals of edges and corners to the cone of the neighbours. For an overlap
// the normal is the direction on the front with the least overlap; where it is not found for a round shape, it is that of the
// face, and `doubtful` if the extreme point of the shape is not behind the triangle. A shape that is entirely behind the plane
// of the triangle has no contact points. Triangles without area have none. `cache` may be NULL.
int cd_collide_triangle(const cd_shape_geometry* A, const cd_shape_pose* pose_A, const cd_triangle* triangle,
                        double margin, cd_pair_cache* cache, cd_contact_point* point, int capacity);

// The same along a given unit normal n on the front, not searched for: the part of A that is extreme in the direction -n (the
// face of a box or hull that faces the triangle most, all its corners), cut by the planes through the edges of the triangle
// parallel to the normal of the face. Gaps are heights above the plane of the triangle, measured along n. The other half of a
// shape that reaches over an edge belongs to the neighbouring triangle. Points of a round part whose foot is outside the
// triangle by more than round-off are not returned.
int cd_collide_triangle_along(const cd_shape_geometry* A, const cd_shape_pose* pose_A, const cd_triangle* triangle,
                              const double n[3], double margin, cd_contact_point* point, int capacity);

// Part of the triangle that the point b of a contact point lies on: face 0, edge 0..2 or vertex 0..2.
static inline cd_feature_kind cd_triangle_part(const cd_contact_point* p, int* index)
{
    const uint32_t        feature = cd_contact_feature(p, 1);
    const cd_feature_kind kind    = cd_feature_kind_of(feature);
    const int             part    = cd_feature_index(feature) & ((1 << CD_FEATURE_PART_BITS) - 1);
    *index                        = kind == CD_FEATURE_FACE ? 0 : part;
    return kind == CD_FEATURE_CLIP ? CD_FEATURE_EDGE : kind == CD_FEATURE_CORNER ? CD_FEATURE_VERTEX : kind;
}

// The triangle as a shape with the identity pose, for cd_contact_derivative. It refers to `hull`.
static inline cd_shape_geometry cd_triangle_shape(const cd_triangle* t, cd_triangle_hull* hull)
{
    cd_triangle_hull_init(hull, t->corner[0], t->corner[1], t->corner[2]);
    return (cd_shape_geometry){.kind = CD_SHAPE_HULL, .hull = &hull->hull};
}
