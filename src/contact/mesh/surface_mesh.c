// SPDX-License-Identifier: BSD-3-Clause
// A triangle mesh as a surface, and the pairs of convex shapes and tori with it.
#include "contact/mesh/surface.h"

#include <stddef.h>

static void triangle(const void* data, int index, cd_surface_triangle* t)
{
    const cd_triangle_mesh* m = data;
    t->index                  = index;
    t->face                   = m->face[index];
    t->normal                 = m->normal[index];
    for (int i = 0; i < 3; ++i) {
        t->vertex[i] = m->corner[index][i];
        t->corner[i] = m->vertex[t->vertex[i]];
        t->side[i]   = m->side[index][i];
    }
    for (int i = 0; i < 3; ++i) {
        const cd_mesh_edge* e     = &m->edge[t->side[i]];
        const int           other = e->face[e->face[0] == index];
        cd_surface_edge(t, i, other >= 0 ? &m->normal[other] : NULL);
        t->dihedral[i] = e->dihedral;
    }
}

static int spokes(const void* data, int vertex, int capacity, d3* along, cd_dihedral* dihedral)
{
    const cd_triangle_mesh* m = data;
    int                     n = 0;
    for (int k = m->neighbour_start[vertex]; k < m->neighbour_start[vertex + 1] && n < capacity; ++k, ++n) {
        const cd_mesh_edge* e   = &m->edge[m->neighbour[k]];
        const int           tip = e->vertex[e->vertex[0] == vertex];
        along[n]                = d3_unit(d3_sub(m->vertex[tip], m->vertex[vertex]));
        dihedral[n]             = e->dihedral;
    }
    return n;
}

static bool sharp(const void* data, int vertex) { return ((const cd_triangle_mesh*)data)->sharp[vertex]; }

static void search(const void* data, const cd_box* box, void (*found)(void* context, int triangle), void* context)
{
    const cd_triangle_mesh* m = data;
    cd_tree_search          s;
    cd_tree_search_begin(&s, &m->tree, box);
    for (int t = cd_tree_search_next(&s); t >= 0; t = cd_tree_search_next(&s)) found(context, t);
}

cd_surface cd_surface_of_mesh(const cd_triangle_mesh* mesh)
{
    return (cd_surface){mesh, triangle, spokes, sharp, search};
}

void cd_pair_mesh(cd_pair* pair)
{
    const cd_surface surface = cd_surface_of_mesh(pair->B->mesh);
    cd_surface_collide(pair, &surface);
}
