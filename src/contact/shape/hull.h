// SPDX-License-Identifier: BSD-3-Clause
// Convex hull of points: vertices, faces with merged coplanar parts, edges. Made once by Qhull; a triangle needs no Qhull.
#pragma once

#include "contact/shape/polyhedron.h"

struct cd_hull_memory;
typedef struct cd_hull {
    cd_polyhedron          p;
    cd_mass_properties     mass;
    struct cd_hull_memory* memory;
} cd_hull;

enum { CD_HULL_VERTICES_MAX = 4095 };

// Hull of points (n x 3), in the frame of the points, whose faces are moved inwards by `rounding`: the core of a hull whose
// outer dimensions include it. NULL with the reason: too few points, flat, too much rounding, no memory, too many
// vertices, or a build without Qhull.
cd_hull* cd_hull_create(int n, const double* point, double rounding, const char** reason);
void     cd_hull_destroy(cd_hull* hull);
bool     cd_hull_is_available(void);
// Hull from closed triangles, counter-clockwise seen from outside, of points (nvertex x 3): merges coplanar neighbours.
cd_hull* cd_hull_of_triangles(int nvertex, const double* vertex, int ntriangle, const int* triangle,
                              const char** reason);

// Core of a two-sided triangle as a hull, without allocation: faces 0 (counter-clockwise) and 1, edge i from corner i to the
// next.
typedef struct cd_triangle_hull {
    d3      vertex[3], normal[2];
    double  height[2];
    cd_hull hull;
} cd_triangle_hull;
void cd_triangle_hull_init(cd_triangle_hull* t, const double a[3], const double b[3], const double c[3]);
