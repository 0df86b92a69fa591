// SPDX-License-Identifier: BSD-3-Clause
// Collision geometry: shapes, contact points between two shapes, and their derivatives. Plain doubles; nothing is
// allocated. Theory: docs/theory/contact-geometry.md.
//
// A convex shape is a core and a radius around it: x = core + radius. Signed distances are those of the cores minus the
// radii; the radius is that of a sphere, capsule or torus, and `rounding` for boxes, cylinders and hulls, whose outer
// dimensions include it.
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef enum cd_shape_kind {
#define CD_SHAPE(NAME, name) CD_SHAPE_##NAME,
#include "contact/shapes.def"
#undef CD_SHAPE
    CD_SHAPE_KINDS
} cd_shape_kind;

typedef struct cd_shape_geometry { // constant, in the frame of the shape
    cd_shape_kind                  kind;
    double                         size[3];  // [m], names in the descriptor of the shape (contact/shape/shape.h)
    double                         rounding; // [m] radius around the core of box, cylinder, hull
    const struct cd_hull*          hull;     // contact/shape/hull.h
    const struct cd_triangle_mesh* mesh;
    const struct cd_height_field*  field;
} cd_shape_geometry;

typedef struct cd_shape_pose { // frame of the shape in the world: x_world = R x + p, R row by row
    double R[9], p[3];
} cd_shape_pose;

// Part of a surface that touches: its kind in the upper four bits of 32, and numbers that are constant in the shape.
typedef enum cd_feature_kind {
    CD_FEATURE_SURFACE, // the only smooth part of a surface: ellipsoid, height field
    CD_FEATURE_VERTEX,
    CD_FEATURE_EDGE, // edge of a polyhedron, segment of a capsule
    CD_FEATURE_FACE,
    CD_FEATURE_SIDE,   // lateral surface of a cylinder
    CD_FEATURE_CIRCLE, // circle of a torus, rim of a cylinder: the point of extreme height on it
    CD_FEATURE_RIM,    // a point of a rim that is fixed to the shape
    CD_FEATURE_CLIP,   // of a reference face: its side plane cuts an edge of the other shape
    CD_FEATURE_CORNER  // of a reference face: its corner lies above a face of the other shape
} cd_feature_kind;
enum { CD_FEATURE_BITS = 28, CD_FEATURE_PART_BITS = 12 };

static inline uint32_t cd_feature(cd_feature_kind kind, int index)
{
    return (uint32_t)kind << CD_FEATURE_BITS | (uint32_t)index;
}
// Part of a face: number of the face (up to 65,535) and of its corner or side (up to 4,095)
static inline uint32_t cd_feature_part(cd_feature_kind kind, int face, int part)
{
    return cd_feature(kind, face << CD_FEATURE_PART_BITS | part);
}
static inline cd_feature_kind cd_feature_kind_of(uint32_t feature)
{
    return (cd_feature_kind)(feature >> CD_FEATURE_BITS);
}
static inline int cd_feature_index(uint32_t feature) { return (int)(feature & ((1u << CD_FEATURE_BITS) - 1)); }

typedef struct cd_contact_point {
    double   a[3], b[3]; // points on A and on B (world)
    double   normal[3];  // unit, from B to A
    double   gap;        // signed distance (a - b).normal, negative: overlap
    uint64_t key;      // feature of A in the upper 32 bits, of B in the lower ones: constant while these features touch
    bool     doubtful; // deep overlap: the direction of the normal is not unique or not exact
} cd_contact_point;
static inline uint64_t cd_contact_key(uint32_t a, uint32_t b) { return (uint64_t)a << 32 | b; }
static inline uint32_t cd_contact_feature(const cd_contact_point* p, int shape)
{
    return (uint32_t)(shape == 0 ? p->key >> 32 : p->key);
}

// What a pair keeps between calls: warm start of iterations, and hysteresis of the choice of a separating axis. Zeroed:
// none. Results depend on it only within the tolerance of that hysteresis.
typedef struct cd_pair_cache {
    double   direction[3]; // last normal, in the axes of B
    bool     valid, features;
    uint32_t feature[2]; // of the last nearest points or separating axis, if `features`
} cd_pair_cache;

// Contact points with gap < margin, at most `capacity`, in an order that depends on the arguments only. `cache` may be NULL. Two
// shapes without a row in pairs.def (two planes) have no contact points.
int  cd_collide(const cd_shape_geometry* A, const cd_shape_pose* pose_A, const cd_shape_geometry* B,
                const cd_shape_pose* pose_B, double margin, cd_pair_cache* cache, cd_contact_point* point, int capacity);
bool cd_can_collide(cd_shape_kind a, cd_shape_kind b);
enum { CD_CONTACT_POINTS_MAX = 256 }; // sufficient capacity for every pair of convex shapes

// Derivatives of gap, normal and point c = (a + b)/2, the features that touch being fixed, with respect to the motions of A
// and B: columns 0..2 angular velocity of A, 3..5 velocity of the point of A that coincides with c, 6..11 the same of B; world
// axes. False: not defined (parallel lines; centre of curvature at the contact).
typedef struct cd_contact_rates {
    double gap[12], normal[3][12], point[3][12];
} cd_contact_rates;
bool cd_contact_derivative(const cd_shape_geometry* A, const cd_shape_pose* pose_A, const cd_shape_geometry* B,
                           const cd_shape_pose* pose_B, const cd_contact_point* point, cd_contact_rates* rates);
