// SPDX-License-Identifier: BSD-3-Clause
// One-sided triangle mesh: material is behind its triangles. Compiled once: equal vertices are welded, neighbours are
// found over common edges, and a tree of boxes (mesh/triangle_tree.h) finds triangles near a box or along a ray.
#pragma once

#include "contact/mesh/triangle_tree.h"

typedef enum cd_dihedral {
    CD_DIHEDRAL_FLAT, // angle below cd_flat_dihedral
    CD_DIHEDRAL_CONVEX,
    CD_DIHEDRAL_CONCAVE,
    CD_DIHEDRAL_OPEN // no neighbour
} cd_dihedral;

typedef struct cd_mesh_edge {
    int         vertex[2]; // in the order of face[0]
    int         face[2];   // triangles; face[1] is -1 for an open edge
    int         side[2];   // number of the edge in each of them: edge i runs from corner i to the next
    cd_dihedral dihedral;
} cd_mesh_edge;

typedef struct cd_triangle_mesh {
    int nvertex, ntriangle, nedge;
    d3* vertex;
    int (*corner)[3];              // vertices of a triangle, counter-clockwise seen from the front
    int (*side)[3];                // edges of a triangle
    d3*                    normal; // of triangles, unit
    int*                   face;   // of a triangle: first one of those that continue it over flat edges in its plane
    cd_mesh_edge*          edge;
    int*                   neighbour_start; // (nvertex + 1) into neighbour
    int*                   neighbour;       // edges that end at a vertex, ascending
    bool*                  sharp;           // of a vertex: one of its edges is convex or open
    cd_triangle_tree       tree;
    d3                     lower, upper; // box
    struct cd_mesh_memory* memory;
} cd_triangle_mesh;

// Mesh of points (nvertex x 3) and triangles (ntriangle x 3, counter-clockwise seen from outside), in their frame. Triangles
// without area are left out, so that numbers of triangles refer to the others. NULL with the reason: no triangle, a number that
// is not finite or not a vertex, too many triangles, no memory.
cd_triangle_mesh* cd_triangle_mesh_create(int nvertex, const double* vertex, int ntriangle, const int* triangle,
                                          const char** reason);
void              cd_triangle_mesh_destroy(cd_triangle_mesh* mesh);

// Dihedral of an edge in the direction `along` of a triangle with the normal n, whose neighbour has the normal `other`.
cd_dihedral cd_dihedral_of(d3 n, d3 other, d3 along);

enum { CD_TRIANGLE_MESH_MAX = 5000000 }; // triangles
