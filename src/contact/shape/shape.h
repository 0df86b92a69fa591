// SPDX-License-Identifier: BSD-3-Clause
// Descriptor of a shape. Functions compute in the frame of the shape, and on its core where they say so.
#pragma once

#include "contact/contact_geometry.h"
#include "contact/vector3.h"

// Local geometry of the core of a shape at a feature.
typedef enum cd_core_kind {
    CD_CORE_POINT,
    CD_CORE_LINE,
    CD_CORE_PLANE,
    CD_CORE_CIRCLE,
    CD_CORE_ELLIPSOID,
    CD_CORE_SURFACE // with the curvature of the descriptor at the point of contact
} cd_core_kind;
typedef struct cd_core_feature {
    cd_core_kind kind;
    d3           origin;      // point, middle of the line, point of the plane, centre of circle or ellipsoid
    d3           axis;        // unit: of the line, normal of plane and circle
    double       half_length; // of the line
    double       radius;      // of the circle
    d3           semi_axes;   // of the ellipsoid
    double       offset;      // radius around this core
} cd_core_feature;

// The part of a core that is extreme in a direction, up to a slope: point, segment, or convex polygon, counter-clockwise seen
// from outside, with the features of its corners and sides.
enum { CD_FLAT_POINTS = 128 };
typedef struct cd_flat {
    int      n;
    d3       x[CD_FLAT_POINTS], normal;                          // normal: of a polygon
    uint32_t face, corner[CD_FLAT_POINTS], side[CD_FLAT_POINTS]; // side i from corner i to the next
} cd_flat;

typedef struct cd_mass_properties { // for density 1
    double volume, centre[3];
    double inertia[6]; // about the centre: xx yy zz xy xz yz (products of inertia negative: matrix entries)
} cd_mass_properties;

typedef struct cd_shape_type {
    const char* name;
    const char* size_name[3]; // NULL: fewer
    bool        can_round;    // `rounding` may be positive
    bool        convex;
    bool        bounded;
    // Reason why sizes are not valid, NULL: they are.
    const char* (*check)(const cd_shape_geometry* g);
    // Radius around the core.
    double (*offset)(const cd_shape_geometry* g);
    // Farthest point of the core in direction d (not zero); for bounded shapes, also a torus.
    d3 (*support)(const cd_shape_geometry* g, d3 d, uint32_t* feature);
    // Signed distance of x from the core, with its nearest point, the outward unit normal there, and the feature.
    double (*nearest)(const cd_shape_geometry* g, d3 x, d3* point, d3* normal, uint32_t* feature);
    // Part of the core within `slope` [rad] of extreme in direction d; NULL: always one point.
    void (*flat)(const cd_shape_geometry* g, d3 d, double slope, cd_flat* flat);
    void (*feature)(const cd_shape_geometry* g, uint32_t feature, cd_core_feature* f);
    // Of a shape with CD_CORE_SURFACE: v.dn(u), the change of the outward unit normal at the surface point x for a move u, both
    // tangent; NULL: none.
    double (*bend)(const cd_shape_geometry* g, d3 x, d3 u, d3 v);
    // Box in the frame of the shape; NULL: by `support`.
    void (*box)(const cd_shape_geometry* g, d3* lower, d3* upper);
    // NULL: none (infinite or not closed)
    void (*mass)(const cd_shape_geometry* g, cd_mass_properties* m);
} cd_shape_type;

const cd_shape_type* cd_shape_type_of(const cd_shape_geometry* g);
const cd_shape_type* cd_shape_type_at(int kind);
int                  cd_shape_type_find(const char* name); // kind, -1: there is none

// Reason why a shape is not valid, NULL: it is valid.
const char* cd_shape_check(const cd_shape_geometry* g);
// Axis-aligned box of a bounded shape in the world; infinite for a plane.
void cd_shape_bounds(const cd_shape_geometry* g, const cd_shape_pose* pose, double lower[3], double upper[3]);
// Radius of a sphere about the origin of the shape that contains it; INFINITY for a plane.
double cd_shape_bounding_radius(const cd_shape_geometry* g);
// A length of the size of the shape, for tolerances.
double cd_shape_length(const cd_shape_geometry* g);
