// SPDX-License-Identifier: BSD-3-Clause
// View of a core that is a convex polyhedron: box, hull, triangle, or the segment of a capsule (no faces). Frame of the
// shape.
#pragma once

#include "contact/shape/shape.h"

typedef struct cd_edge {
    int vertex[2], face[2]; // the boundary of face[0] runs from vertex[0] to vertex[1]; -1: no face
} cd_edge;

typedef struct cd_polyhedron {
    int            nvertex, nface, nedge;
    const d3*      vertex;
    const d3*      normal;      // of faces, unit, outward
    const double*  height;      // of faces: n.x <= height
    const int*     face_start;  // (nface + 1) into face_vertex
    const int*     face_vertex; // counter-clockwise seen from outside
    const int*     face_edge;   // from face_vertex[i] to the next of the face
    const cd_edge* edge;
    d3             centre; // a point inside
} cd_polyhedron;

typedef struct cd_polyhedron_storage { // of a box or a segment
    d3     vertex[8], normal[6];
    double height[6];
} cd_polyhedron_storage;

// View of the core of a box, hull or capsule; false for other shapes. The view is valid as long as g and storage.
bool cd_polyhedron_of(const cd_shape_geometry* g, cd_polyhedron_storage* storage, cd_polyhedron* p);

void cd_box_polyhedron(const cd_shape_geometry* g, cd_polyhedron_storage* storage, cd_polyhedron* p);

// Functions of the descriptors of box and hull.
d3     cd_polyhedron_support(const cd_polyhedron* p, d3 d, uint32_t* feature);
double cd_polyhedron_nearest(const cd_polyhedron* p, d3 x, d3* point, d3* normal, uint32_t* feature);
void   cd_polyhedron_flat(const cd_polyhedron* p, d3 d, double slope, cd_flat* flat);
void   cd_polyhedron_feature(const cd_polyhedron* p, uint32_t feature, cd_core_feature* f);
