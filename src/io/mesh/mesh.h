// SPDX-License-Identifier: BSD-3-Clause
// Triangle meshes: readers of mesh files, welded vertices, edges, volume integrals.
#pragma once

#include <cardan/status.h>

#include <stddef.h>

enum {
    CD_MESH_REASON_SIZE  = 360,
    CD_MESH_TRIANGLE_MAX = 5000000, // of one file, and of all meshes of a model
    CD_MESH_VERTEX_MAX   = 15000000
};

// Triangles are counter-clockwise from outside. Different vertices have different positions.
typedef struct cd_mesh {
    int     nvertex, ntriangle;
    double* vertex;   // (3 x nvertex)
    int*    triangle; // (3 x ntriangle)
} cd_mesh;

void cd_mesh_release(cd_mesh* mesh);

// Mesh under construction (mesh_build.c).
typedef struct cd_mesh_builder {
    cd_mesh mesh;
    int     vertex_capacity, triangle_capacity;
    int*    table; // (table_size) vertex + 1 by the hash of its position; 0: free
    int     table_size;
} cd_mesh_builder;

// Return the index of the vertex at a finite position, added if it is new; -1 without memory.
int cd_mesh_add_vertex(cd_mesh_builder* b, const double position[3]);
// Add a triangle; one with two equal vertices is left out. Returns false without memory.
bool cd_mesh_add_triangle(cd_mesh_builder* b, int i, int j, int k);
void cd_mesh_builder_release(cd_mesh_builder* b); // all but the mesh

// One reader per format (mesh_formats.def). `data` (length) ends with a zero byte that is not counted. On failure
// returns false: `reason` continues the sentence "the file 'NAME' ..."; without memory it is empty.
typedef bool cd_mesh_reader(const char* data, size_t length, cd_mesh_builder* b, char reason[CD_MESH_REASON_SIZE]);
#define CD_MESH_FORMAT(extension, read, summary) cd_mesh_reader read;
#include "io/mesh/mesh_formats.def"
#undef CD_MESH_FORMAT

// Write a reason. Returns false.
bool cd_mesh_fail(char reason[CD_MESH_REASON_SIZE], const char* format, ...) __attribute__((format(printf, 2, 3)));

// Read a mesh file by its extension. On failure the mesh is empty and `reason` continues "the file 'NAME' ...".
cardan_status cd_mesh_read(const char* path, cd_mesh* mesh, char reason[CD_MESH_REASON_SIZE]);

// Multiply all positions by factors along x, y, z; a reflection reverses the triangles.
void cd_mesh_scale(cd_mesh* mesh, const double factor[3]);
void cd_mesh_reverse(cd_mesh* mesh);

// Split a planar simple polygon into n - 2 triangles, indices 0 ... n - 1 (polygon_triangulation.c).
// Vertices `position` (3 x n); work (4 n); triangle (3 x (n - 2)).
enum { CD_POLYGON_MAX = 1000 };
typedef struct cd_polygon_work {
    double x[CD_POLYGON_MAX], y[CD_POLYGON_MAX];
    int    next[CD_POLYGON_MAX], previous[CD_POLYGON_MAX];
    bool   is_ear[CD_POLYGON_MAX], is_reflex[CD_POLYGON_MAX];
} cd_polygon_work;
void cd_polygon_triangulate(int n, const double* position, cd_polygon_work* work, int* triangle);

// Edges of a mesh that prevent it from enclosing a volume (mesh_edges.c).
typedef struct cd_mesh_edges {
    int nopen;       // edges of an odd number of triangles
    int nunoriented; // other edges that are not passed equally often in both directions
} cd_mesh_edges;
bool cd_mesh_count_edges(int ntriangle, const int* triangle, cd_mesh_edges* edges); // false without memory

// Volume integrals of a closed mesh with density 1 (mesh_inertia.c). Negative volume: the triangles are reversed.
typedef struct cd_mesh_integrals {
    double volume;
    double centre[3];
    double inertia[6]; // about the centre: xx yy zz xy xz yz
} cd_mesh_integrals;
cd_mesh_integrals cd_mesh_integrate(int nvertex, const double* vertex, int ntriangle, const int* triangle);
