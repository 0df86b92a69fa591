// SPDX-License-Identifier: BSD-3-Clause
// One-sided surfaces of triangles, meshes and height fields alike, seen by the function that finds their contact
// points: triangles by number with their neighbours, vertices, and a search by a box.
#pragma once

#include "contact/axis_box.h"
#include "contact/contact_pair.h"
#include "contact/mesh/triangle_mesh.h"

typedef struct cd_surface_triangle {
    int         index;
    int         face;               // number of its face for keys: the same for triangles that continue it in its plane
    int         vertex[3], side[3]; // numbers of vertices, and of edges: edge i from corner i to the next
    d3          corner[3], normal;
    d3          inward[3]; // unit vectors in the triangle, orthogonal to its edges
    d3          across[3]; // the same in the neighbours, away from the edges; zero: open
    cd_dihedral dihedral[3];
} cd_surface_triangle;

typedef struct cd_surface {
    const void* data;
    // The triangle `index` with all its parts.
    void (*triangle)(const void* data, int index, cd_surface_triangle* t);
    // Edges that end at a vertex: unit vectors along them, and their dihedrals. Returns their number, at most `capacity`.
    int (*spokes)(const void* data, int vertex, int capacity, d3* along, cd_dihedral* dihedral);
    // The vertex has an edge that is convex or open: a contact may have another normal there than those of the faces.
    bool (*sharp)(const void* data, int vertex);
    // Call `found` for the triangles near a box, in an order that does not depend on addresses.
    void (*search)(const void* data, const cd_box* box, void (*found)(void* context, int triangle), void* context);
} cd_surface;

enum { CD_SPOKES_MAX = 64 };

// Contact points of pair->A with a surface in the frame of pair->B: no ghosts at inner edges, sorted by their keys.
void cd_surface_collide(cd_pair* pair, const cd_surface* surface);

// Fill inward, across and dihedral of edge i from the normal of the neighbour; NULL: open. The corners and the normal
// are given.
void cd_surface_edge(cd_surface_triangle* t, int i, const d3* neighbour_normal);

cd_surface cd_surface_of_mesh(const cd_triangle_mesh* mesh);

// Feature of a contact point on triangle t: faces, and parts of a face, by triangle; edges and vertices by their numbers.
static inline uint32_t cd_surface_part(cd_feature_kind kind, int triangle, int part)
{
    return cd_feature(kind, 3 * triangle + part);
}
