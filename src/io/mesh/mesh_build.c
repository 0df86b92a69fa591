// SPDX-License-Identifier: BSD-3-Clause
// Construction of meshes. Vertices with equal positions are one vertex, found by a hash table with linear probing.
#include "io/mesh/mesh.h"

#include "core/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { INITIAL_TABLE = 64 };

void cd_mesh_release(cd_mesh* mesh)
{
    free(mesh->vertex);
    free(mesh->triangle);
    *mesh = (cd_mesh){0};
}

void cd_mesh_builder_release(cd_mesh_builder* b)
{
    free(b->table);
    b->table      = NULL;
    b->table_size = 0;
}

// Hash of three numbers: finalizer of splitmix64 (Steele, Lea, Flood 2014).
static uint64_t hash_of(const double p[3])
{
    uint64_t h = 0;
    for (int i = 0; i < 3; ++i) {
        uint64_t bits;
        memcpy(&bits, &p[i], sizeof bits);
        h = (h ^ bits) + 0x9e3779b97f4a7c15u;
        h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
        h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
        h ^= h >> 31;
    }
    return h;
}

// Return the entry of a position in the table: that of an equal vertex, or a free one.
static int* entry_of(const cd_mesh_builder* b, const double p[3])
{
    const size_t mask = (size_t)b->table_size - 1;
    size_t       at   = (size_t)hash_of(p) & mask;
    while (b->table[at] && memcmp(b->mesh.vertex + 3 * (size_t)(b->table[at] - 1), p, 3 * sizeof *p) != 0)
        at = (at + 1) & mask;
    return &b->table[at];
}

static bool grow_table(cd_mesh_builder* b)
{
    const int size  = b->table_size ? 2 * b->table_size : INITIAL_TABLE;
    int*      table = cd_allocate((size_t)size, sizeof *table);
    if (!table) return false;
    free(b->table);
    b->table      = table;
    b->table_size = size;
    for (int i = 0; i < b->mesh.nvertex; ++i) *entry_of(b, b->mesh.vertex + 3 * (size_t)i) = i + 1;
    return true;
}

int cd_mesh_add_vertex(cd_mesh_builder* b, const double position[3])
{
    const double p[3] = {position[0] + 0.0, position[1] + 0.0, position[2] + 0.0}; // -0 becomes 0
    cd_mesh*     m    = &b->mesh;
    if (2 * m->nvertex >= b->table_size && !grow_table(b)) return -1;
    int* entry = entry_of(b, p);
    if (*entry) return *entry - 1;
    if (!cd_array_grow((void**)&m->vertex, &b->vertex_capacity, m->nvertex, sizeof p)) return -1;
    memcpy(m->vertex + 3 * (size_t)m->nvertex, p, sizeof p);
    *entry = m->nvertex + 1;
    return m->nvertex++;
}

bool cd_mesh_add_triangle(cd_mesh_builder* b, int i, int j, int k)
{
    const int t[3] = {i, j, k};
    cd_mesh*  m    = &b->mesh;
    if (i == j || j == k || k == i) return true;
    if (!cd_array_grow((void**)&m->triangle, &b->triangle_capacity, m->ntriangle, sizeof t)) return false;
    memcpy(m->triangle + 3 * (size_t)m->ntriangle++, t, sizeof t);
    return true;
}

void cd_mesh_reverse(cd_mesh* mesh)
{
    for (int i = 0; i < mesh->ntriangle; ++i) {
        int*      t = mesh->triangle + 3 * (size_t)i;
        const int k = t[1];
        t[1]        = t[2];
        t[2]        = k;
    }
}

void cd_mesh_scale(cd_mesh* mesh, const double factor[3])
{
    for (size_t i = 0; i < 3 * (size_t)mesh->nvertex; ++i) mesh->vertex[i] *= factor[i % 3];
    if ((factor[0] < 0) != ((factor[1] < 0) != (factor[2] < 0))) cd_mesh_reverse(mesh);
}
