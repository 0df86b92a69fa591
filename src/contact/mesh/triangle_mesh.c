// SPDX-License-Identifier: BSD-3-Clause
// Compilation of a triangle mesh: weld, normals, edges with their dihedral, edges of vertices, tree. Every list is ordered by
// sorting positions and numbers, so that it does not depend on addresses.
#include "contact/mesh/triangle_mesh.h"
#include "contact/mesh/mesh_tolerances.h"
#include "core/memory.h"

#include <stdlib.h>

typedef struct cd_mesh_memory {
    cd_triangle_mesh mesh;
    cd_arena         arena;
} cd_mesh_memory;

typedef struct place { // of a vertex
    double x[3];
    int    index;
} place;

typedef struct half_edge { // low < high
    int low, high, triangle, side;
} half_edge;

typedef struct work {
    place*     place;
    int*       weld; // vertex of a given vertex
    half_edge* half;
    cd_box*    box;
    double*    key;
} work;

static int compare_places(const void* p, const void* q)
{
    const place *a = p, *b = q;
    for (int i = 0; i < 3; ++i)
        if (a->x[i] != b->x[i]) return a->x[i] < b->x[i] ? -1 : 1;
    return a->index - b->index;
}

static bool same_place(const place* a, const place* b)
{
    return a->x[0] == b->x[0] && a->x[1] == b->x[1] && a->x[2] == b->x[2];
}

// Vertices in the order of their first appearance; equal positions become one.
static void weld(cd_triangle_mesh* m, int n, const double* x, const work* w)
{
    for (int i = 0; i < n; ++i) w->place[i] = (place){{x[3 * i], x[3 * i + 1], x[3 * i + 2]}, i};
    qsort(w->place, (size_t)n, sizeof *w->place, compare_places);
    for (int i = 0, first = 0; i < n; ++i) {
        if (i == 0 || !same_place(&w->place[i], &w->place[i - 1])) first = w->place[i].index;
        w->weld[w->place[i].index] = first;
    }
    for (int i = 0; i < n; ++i) { // the first of equals has the smallest index
        if (w->weld[i] == i) {
            m->vertex[m->nvertex] = d3_of(x + 3 * i);
            w->weld[i]            = m->nvertex++;
        } else {
            w->weld[i] = w->weld[w->weld[i]];
        }
    }
}

static void add_triangle(cd_triangle_mesh* m, const int c[3])
{
    const d3     u = d3_sub(m->vertex[c[1]], m->vertex[c[0]]), v = d3_sub(m->vertex[c[2]], m->vertex[c[0]]);
    const d3     normal = d3_cross(u, v), w = d3_sub(v, u);
    const double area   = d3_norm(normal);
    const double length = fmax(d3_dot(u, u), fmax(d3_dot(v, v), d3_dot(w, w)));
    if (!(area > cd_least_triangle * length)) return;
    memcpy(m->corner[m->ntriangle], c, sizeof m->corner[0]);
    m->normal[m->ntriangle++] = d3_scale(1 / area, normal);
}

static int compare_half_edges(const void* p, const void* q)
{
    const half_edge *a = p, *b = q;
    if (a->low != b->low) return a->low < b->low ? -1 : 1;
    if (a->high != b->high) return a->high < b->high ? -1 : 1;
    if (a->triangle != b->triangle) return a->triangle < b->triangle ? -1 : 1;
    return a->side - b->side;
}

cd_dihedral cd_dihedral_of(d3 n, d3 other, d3 along)
{
    const double sine = d3_dot(d3_cross(n, other), along); // of the angle between the normals, positive: convex
    if (fabs(sine) < cd_flat_dihedral) return d3_dot(n, other) > 0 ? CD_DIHEDRAL_FLAT : CD_DIHEDRAL_CONVEX;
    return sine > 0 ? CD_DIHEDRAL_CONVEX : CD_DIHEDRAL_CONCAVE;
}

static cd_dihedral dihedral(const cd_triangle_mesh* m, const cd_mesh_edge* e)
{
    if (e->face[1] < 0) return CD_DIHEDRAL_OPEN;
    const d3 along = d3_unit(d3_sub(m->vertex[e->vertex[1]], m->vertex[e->vertex[0]]));
    const d3 n = m->normal[e->face[0]], other = m->normal[e->face[1]];
    return cd_dihedral_of(n, other, along);
}

static bool reversed(const cd_triangle_mesh* m, const half_edge* h)
{
    return m->corner[h->triangle][h->side] != h->low;
}

// Two triangles with an edge in opposite directions are neighbours. At an edge of more triangles, or with two of the same
// direction, the others are open.
static void find_edges(cd_triangle_mesh* m, half_edge* half)
{
    const int n = 3 * m->ntriangle;
    for (int i = 0; i < n; ++i) {
        const int a = m->corner[i / 3][i % 3], b = m->corner[i / 3][(i + 1) % 3];
        half[i] = (half_edge){a < b ? a : b, a < b ? b : a, i / 3, i % 3};
    }
    qsort(half, (size_t)n, sizeof *half, compare_half_edges);
    for (int i = 0; i < n; ++i) {
        const half_edge* h    = &half[i];
        cd_mesh_edge*    e    = &m->edge[m->nedge];
        const bool       pair = i + 1 < n && half[i + 1].low == h->low && half[i + 1].high == h->high &&
                          reversed(m, h) != reversed(m, &half[i + 1]);
        *e = (cd_mesh_edge){.vertex = {reversed(m, h) ? h->high : h->low, reversed(m, h) ? h->low : h->high},
                            .face   = {h->triangle, pair ? half[i + 1].triangle : -1},
                            .side   = {h->side, pair ? half[i + 1].side : -1}};
        m->side[h->triangle][h->side] = m->nedge;
        if (pair) m->side[half[i + 1].triangle][half[i + 1].side] = m->nedge, ++i;
        e->dihedral = dihedral(m, e);
        ++m->nedge;
    }
}

static void find_edges_of_vertices(cd_triangle_mesh* m)
{
    for (int e = 0; e < m->nedge; ++e)
        for (int k = 0; k < 2; ++k) ++m->neighbour_start[m->edge[e].vertex[k] + 1];
    for (int v = 0; v < m->nvertex; ++v) m->neighbour_start[v + 1] += m->neighbour_start[v];
    for (int e = 0; e < m->nedge; ++e)
        for (int k = 0; k < 2; ++k) {
            const int         v = m->edge[e].vertex[k];
            const cd_dihedral d = m->edge[e].dihedral;
            m->sharp[v] |= d == CD_DIHEDRAL_CONVEX || d == CD_DIHEDRAL_OPEN;
            m->neighbour[m->neighbour_start[v]++] = e;
        }
    for (int v = m->nvertex; v > 0; --v) m->neighbour_start[v] = m->neighbour_start[v - 1];
    m->neighbour_start[0] = 0;
}

static int first_of_face(const cd_triangle_mesh* m, int t)
{
    while (m->face[t] != t) t = m->face[t];
    return t;
}

// Join the faces of triangles at flat edges, as long as the normals of their first triangles agree too.
static void find_faces(cd_triangle_mesh* m)
{
    for (int t = 0; t < m->ntriangle; ++t) m->face[t] = t;
    for (int e = 0; e < m->nedge; ++e) {
        if (m->edge[e].dihedral != CD_DIHEDRAL_FLAT) continue;
        const int a = first_of_face(m, m->edge[e].face[0]), b = first_of_face(m, m->edge[e].face[1]);
        const int low = a < b ? a : b, high = a < b ? b : a;
        if (d3_norm(d3_sub(m->normal[a], m->normal[b])) >= cd_same_plane) continue;
        m->face[m->edge[e].face[0]] = m->face[m->edge[e].face[1]] = m->face[high] = low;
    }
    for (int t = 0; t < m->ntriangle; ++t) m->face[t] = first_of_face(m, t);
}

static void build_tree(cd_triangle_mesh* m, const work* w)
{
    for (int t = 0; t < m->ntriangle; ++t) {
        const int* c = m->corner[t];
        w->box[t]    = cd_box_of_points((const d3[]){m->vertex[c[0]], m->vertex[c[1]], m->vertex[c[2]]}, 3);
    }
    cd_triangle_tree_build(&m->tree, m->ntriangle, w->box, w->key);
    const cd_box box = cd_box_of_points(m->vertex, m->nvertex);
    m->lower         = d3_of(box.lower);
    m->upper         = d3_of(box.upper);
}

static void layout(cd_triangle_mesh* m, cd_arena* arena, int nvertex, int ntriangle)
{
    CD_ARENA_ARRAY(arena, m->vertex, nvertex);
    CD_ARENA_ARRAY(arena, m->neighbour_start, nvertex + 1);
    CD_ARENA_ARRAY(arena, m->sharp, nvertex);
    CD_ARENA_ARRAY(arena, m->corner, ntriangle);
    CD_ARENA_ARRAY(arena, m->side, ntriangle);
    CD_ARENA_ARRAY(arena, m->normal, ntriangle);
    CD_ARENA_ARRAY(arena, m->face, ntriangle);
    CD_ARENA_ARRAY(arena, m->edge, 3 * ntriangle);
    CD_ARENA_ARRAY(arena, m->neighbour, 6 * ntriangle);
    CD_ARENA_ARRAY(arena, m->tree.node, cd_tree_nodes_max(ntriangle));
    CD_ARENA_ARRAY(arena, m->tree.triangle, ntriangle);
}

static void layout_work(work* w, cd_arena* arena, int nvertex, int ntriangle)
{
    CD_ARENA_ARRAY(arena, w->place, nvertex);
    CD_ARENA_ARRAY(arena, w->weld, nvertex);
    CD_ARENA_ARRAY(arena, w->half, 3 * ntriangle);
    CD_ARENA_ARRAY(arena, w->box, ntriangle);
    CD_ARENA_ARRAY(arena, w->key, ntriangle);
}

static const char* check(int nvertex, const double* vertex, int ntriangle, const int* triangle)
{
    if (nvertex < 3 || ntriangle < 1) return "it has no triangles";
    if (ntriangle > CD_TRIANGLE_MESH_MAX || nvertex > 3 * CD_TRIANGLE_MESH_MAX) return "it has too many triangles";
    for (int i = 0; i < 3 * nvertex; ++i)
        if (!isfinite(vertex[i])) return "a coordinate is not finite";
    for (int i = 0; i < 3 * ntriangle; ++i)
        if (triangle[i] < 0 || triangle[i] >= nvertex) return "a triangle refers to a vertex that does not exist";
    return NULL;
}

cd_triangle_mesh* cd_triangle_mesh_create(int nvertex, const double* vertex, int ntriangle, const int* triangle,
                                          const char** reason)
{
    *reason = check(nvertex, vertex, ntriangle, triangle);
    if (*reason) return NULL;
    cd_mesh_memory* memory  = cd_allocate(1, sizeof *memory);
    cd_arena        scratch = {0};
    work            w       = {0};
    *reason                 = "there is no memory";
    if (!memory) return NULL;
    cd_triangle_mesh* m = &memory->mesh;
    m->memory           = memory;
    layout(m, &memory->arena, nvertex, ntriangle);
    layout_work(&w, &scratch, nvertex, ntriangle);
    if (cd_arena_reserve(&memory->arena) && cd_arena_reserve(&scratch)) {
        layout(m, &memory->arena, nvertex, ntriangle);
        layout_work(&w, &scratch, nvertex, ntriangle);
        weld(m, nvertex, vertex, &w);
        for (int t = 0; t < ntriangle; ++t) {
            const int* c = triangle + 3 * t;
            add_triangle(m, (const int[]){w.weld[c[0]], w.weld[c[1]], w.weld[c[2]]});
        }
        *reason = m->ntriangle > 0 ? NULL : "all its triangles are without area";
    }
    if (!*reason) {
        find_edges(m, w.half);
        find_edges_of_vertices(m);
        find_faces(m);
        build_tree(m, &w);
    }
    cd_arena_release(&scratch);
    if (!*reason) return m;
    cd_triangle_mesh_destroy(m);
    return NULL;
}

void cd_triangle_mesh_destroy(cd_triangle_mesh* mesh)
{
    if (!mesh) return;
    cd_mesh_memory* memory = mesh->memory;
    cd_arena_release(&memory->arena);
    free(memory);
}
