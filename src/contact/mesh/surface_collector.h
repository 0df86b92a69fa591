// SPDX-License-Identifier: BSD-3-Clause
// Contact points of a shape with a surface while they are collected, in the frame of the surface.
#pragma once

#include "contact/mesh/mesh_tolerances.h"
#include "contact/mesh/surface.h"

typedef struct cd_surface_collector {
    cd_pair*          pair;
    const cd_surface* surface;
    cd_shape_pose     pose;    // of A in the frame of B
    double            offset;  // radius around the core of A
    double            near;    // [m] points that are closer are at the same place
    cd_box            box;     // of the shape, with the margin
    int               refused; // triangle with an overlap whose normals were refused; -1: none
    double            refused_height;
} cd_surface_collector;

// Add a point, if there is none at the same place with the same normal; of two the one on the larger part of the
// surface is kept. Without space the point with the largest gap is left out.
void cd_surface_collect(cd_surface_collector* c, const cd_contact_point* p);
// Sort the points by their keys and turn them to the world.
void cd_surface_finish(cd_surface_collector* c);

// The contact point of a sphere with a triangle.
void cd_surface_sphere(cd_surface_collector* c, const cd_surface_triangle* t);

// The surface at an edge or vertex is behind the plane through it with the normal n.
bool cd_surface_edge_supports(const cd_surface_triangle* t, int i, d3 n);
bool cd_surface_vertex_supports(const cd_surface* s, int vertex, d3 n);
