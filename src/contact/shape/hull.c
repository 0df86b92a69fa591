// SPDX-License-Identifier: BSD-3-Clause
// Faces and edges of a convex polyhedron from its triangles. Neighbours with a common plane form one face, whose normal is that
// of its boundary (Newell). Mass properties are sums over tetrahedra.
#include "contact/shape/hull.h"

#include "contact/contact_tolerances.h"
#include "core/memory.h"

#include <stdlib.h>

typedef struct half_edge {
    int from, to, triangle, twin; // twin: number of the half edge of the neighbour
} half_edge;

typedef struct cd_hull_memory {
    cd_arena   arena;
    d3 *       vertex, *normal;
    double*    height;
    int *      face_start, *face_vertex, *face_edge;
    cd_edge*   edge;
    half_edge* half;            // 3 t + k: side k of triangle t
    int *      group, *edge_of; // first triangle of the face of a triangle; number of the edge of a half edge
} cd_hull_memory;

static void layout(cd_hull_memory* m, int nvertex, int ntriangle)
{
    CD_ARENA_ARRAY(&m->arena, m->vertex, nvertex);
    CD_ARENA_ARRAY(&m->arena, m->normal, ntriangle);
    CD_ARENA_ARRAY(&m->arena, m->height, ntriangle);
    CD_ARENA_ARRAY(&m->arena, m->face_start, ntriangle + 1);
    CD_ARENA_ARRAY(&m->arena, m->face_vertex, 3 * ntriangle);
    CD_ARENA_ARRAY(&m->arena, m->face_edge, 3 * ntriangle);
    CD_ARENA_ARRAY(&m->arena, m->edge, 3 * ntriangle);
    CD_ARENA_ARRAY(&m->arena, m->half, 3 * ntriangle);
    CD_ARENA_ARRAY(&m->arena, m->group, ntriangle);
    CD_ARENA_ARRAY(&m->arena, m->edge_of, 3 * ntriangle);
}

static int compare_half_edges(const void* x, const void* y)
{
    const half_edge *a = x, *b = y;
    const int        a0 = a->from < a->to ? a->from : a->to, a1 = a->from < a->to ? a->to : a->from;
    const int        b0 = b->from < b->to ? b->from : b->to, b1 = b->from < b->to ? b->to : b->from;
    if (a0 != b0) return a0 < b0 ? -1 : 1;
    if (a1 != b1) return a1 < b1 ? -1 : 1;
    return (a->triangle > b->triangle) - (a->triangle < b->triangle);
}

// Connect the half edges of neighbours; false if the surface is not closed. Afterwards half[3 t + k] is side k of triangle t.
static bool connect(cd_hull_memory* m, int ntriangle, const int* triangle)
{
    const int  n      = 3 * ntriangle;
    half_edge* sorted = calloc((size_t)n, sizeof *sorted);
    if (!sorted) return false;
    for (int i = 0; i < n; ++i) {
        const int t = i / 3, k = i % 3;
        sorted[i] = m->half[i] = (half_edge){triangle[i], triangle[3 * t + (k + 1) % 3], t, k};
    }
    qsort(sorted, (size_t)n, sizeof *sorted, compare_half_edges);
    bool closed = true;
    for (int i = 0; i + 1 < n && closed; i += 2) {
        const half_edge *a = &sorted[i], *b = &sorted[i + 1];
        closed                                  = a->from == b->to && a->to == b->from;
        m->half[3 * a->triangle + a->twin].twin = 3 * b->triangle + b->twin;
        m->half[3 * b->triangle + b->twin].twin = 3 * a->triangle + a->twin;
    }
    free(sorted);
    return closed && n % 2 == 0;
}

static d3 triangle_normal(const cd_hull_memory* m, const int* t)
{
    const d3 a = m->vertex[t[0]];
    return d3_cross(d3_sub(m->vertex[t[1]], a), d3_sub(m->vertex[t[2]], a));
}

static int group_of(const cd_hull_memory* m, int t)
{
    while (m->group[t] != t) t = m->group[t];
    return t;
}

// Merge triangles whose neighbour has its opposite corner within the tolerance of their plane.
static void merge_coplanar(cd_hull_memory* m, int ntriangle, const int* triangle, double tolerance)
{
    for (int t = 0; t < ntriangle; ++t) m->group[t] = t;
    for (int i = 0; i < 3 * ntriangle; ++i) {
        const int    t = i / 3, twin = m->half[i].twin, u = twin / 3;
        const int    opposite = triangle[3 * u + (twin % 3 + 2) % 3];
        const d3     n        = triangle_normal(m, triangle + 3 * t);
        const double size     = d3_norm(n);
        if (size > 0 && fabs(d3_dot(n, d3_sub(m->vertex[opposite], m->vertex[triangle[3 * t]]))) > tolerance * size)
            continue;
        const int a = group_of(m, t), b = group_of(m, u);
        m->group[a < b ? b : a] = a < b ? a : b;
    }
    for (int t = 0; t < ntriangle; ++t) m->group[t] = group_of(m, t);
}

static bool on_boundary(const cd_hull_memory* m, int i) { return m->group[i / 3] != m->group[m->half[i].twin / 3]; }

// Boundary half edge that follows i around its end: turn through the triangles of the same face.
static int boundary_next(const cd_hull_memory* m, int i)
{
    int j = i / 3 * 3 + (i + 1) % 3;
    while (!on_boundary(m, j)) {
        j = m->half[j].twin;
        j = j / 3 * 3 + (j + 1) % 3;
    }
    return j;
}

static void add_face(cd_hull_memory* m, cd_polyhedron* p, int first)
{
    int    k = m->face_start[p->nface], i = first;
    d3     n      = d3_zero();
    double height = -INFINITY;
    do {
        const int twin    = m->half[i].twin;
        m->face_vertex[k] = m->half[i].from;
        n                 = d3_add(n, d3_cross(d3_sub(m->vertex[m->half[i].from], m->vertex[m->half[first].from]),
                                               d3_sub(m->vertex[m->half[i].to], m->vertex[m->half[first].from])));
        if (m->edge_of[twin] < 0) {
            m->edge[p->nedge] = (cd_edge){{m->half[i].from, m->half[i].to}, {p->nface, -1}};
            m->edge_of[i]     = p->nedge++;
        } else {
            m->edge_of[i]                  = m->edge_of[twin];
            m->edge[m->edge_of[i]].face[1] = p->nface;
        }
        m->face_edge[k++] = m->edge_of[i];
        i                 = boundary_next(m, i);
    } while (i != first);
    n = d3_unit(n);
    for (int j = m->face_start[p->nface]; j < k; ++j) height = fmax(height, d3_dot(n, m->vertex[m->face_vertex[j]]));
    m->normal[p->nface]       = n;
    m->height[p->nface]       = height;
    m->face_start[++p->nface] = k;
}

// Volume, centre and inertia from the tetrahedra of all triangles and the mean of the vertices.
static void mass_properties(const cd_hull_memory* m, int ntriangle, const int* triangle, d3 middle,
                            cd_mass_properties* mass)
{
    double volume = 0, C[3][3] = {{0}}; // C: integral of x x'
    d3     moment = d3_zero();
    for (int t = 0; t < ntriangle; ++t) {
        d3 x[3];
        for (int k = 0; k < 3; ++k) x[k] = d3_sub(m->vertex[triangle[3 * t + k]], middle);
        const double V   = d3_dot(x[0], d3_cross(x[1], x[2])) / 6;
        const d3     sum = d3_add(x[0], d3_add(x[1], x[2]));
        volume += V;
        moment = d3_add_scaled(moment, V / 4, sum);
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
                double product = sum.e[i] * sum.e[j];
                for (int k = 0; k < 3; ++k) product += x[k].e[i] * x[k].e[j];
                C[i][j] += V / 20 * product;
            }
    }
    const d3 c = d3_scale(1 / volume, moment);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) C[i][j] -= volume * c.e[i] * c.e[j];
    *mass = (cd_mass_properties){
        .volume  = volume,
        .inertia = {C[1][1] + C[2][2], C[0][0] + C[2][2], C[0][0] + C[1][1], -C[0][1], -C[0][2], -C[1][2]}};
    d3_put(d3_add(middle, c), mass->centre);
}

static bool is_convex(const cd_polyhedron* p, double tolerance)
{
    for (int f = 0; f < p->nface; ++f)
        for (int i = 0; i < p->nvertex; ++i)
            if (!(d3_dot(p->normal[f], p->vertex[i]) <= p->height[f] + tolerance)) return false;
    return true;
}

cd_hull* cd_hull_of_triangles(int nvertex, const double* vertex, int ntriangle, const int* triangle,
                              const char** reason)
{
    cd_hull*        hull = calloc(1, sizeof *hull);
    cd_hull_memory* m    = calloc(1, sizeof *m);
    *reason              = "there is no memory for its hull";
    if (hull && m) {
        hull->memory = m;
        layout(m, nvertex, ntriangle);
    }
    if (!hull || !m || !cd_arena_reserve(&m->arena)) {
        free(hull);
        free(m);
        return NULL;
    }
    layout(m, nvertex, ntriangle);
    d3 low = d3_of(vertex), high = low, middle = d3_zero();
    for (int i = 0; i < nvertex; ++i) {
        m->vertex[i] = d3_of(vertex + 3 * i);
        middle       = d3_add_scaled(middle, 1.0 / nvertex, m->vertex[i]);
        for (int k = 0; k < 3; ++k) {
            low.e[k]  = fmin(low.e[k], m->vertex[i].e[k]);
            high.e[k] = fmax(high.e[k], m->vertex[i].e[k]);
        }
    }
    const double length = d3_norm(d3_sub(high, low));
    if (!connect(m, ntriangle, triangle)) {
        *reason = "its surface is not closed";
        cd_hull_destroy(hull);
        return NULL;
    }
    merge_coplanar(m, ntriangle, triangle, cd_hull_flatness * length);
    for (int i = 0; i < 3 * ntriangle; ++i) m->edge_of[i] = -1;
    cd_polyhedron* p = &hull->p;
    for (int i = 0; i < 3 * ntriangle; ++i)
        if (m->edge_of[i] < 0 && on_boundary(m, i)) add_face(m, p, i);
    p->nvertex = nvertex, p->vertex = m->vertex, p->normal = m->normal, p->height = m->height;
    p->face_start = m->face_start, p->face_vertex = m->face_vertex, p->face_edge = m->face_edge, p->edge = m->edge;
    p->centre = middle;
    mass_properties(m, ntriangle, triangle, middle, &hull->mass);
    if (p->nface >= 4 && is_convex(p, cd_hull_convexity * length)) return hull;
    *reason = "its hull is flat or not convex";
    cd_hull_destroy(hull);
    return NULL;
}

void cd_hull_destroy(cd_hull* hull)
{
    if (!hull) return;
    if (hull->memory) cd_arena_release(&hull->memory->arena);
    free(hull->memory);
    free(hull);
}

void cd_triangle_hull_init(cd_triangle_hull* t, const double a[3], const double b[3], const double c[3])
{
    static const int     start[3] = {0, 3, 6}, corners[6] = {0, 1, 2, 0, 2, 1}, sides[6] = {0, 1, 2, 2, 1, 0};
    static const cd_edge edges[3] = {{{0, 1}, {0, 1}}, {{1, 2}, {0, 1}}, {{2, 0}, {0, 1}}};
    t->vertex[0] = d3_of(a), t->vertex[1] = d3_of(b), t->vertex[2] = d3_of(c);
    t->normal[0]    = d3_unit(d3_cross(d3_sub(t->vertex[1], t->vertex[0]), d3_sub(t->vertex[2], t->vertex[0])));
    t->normal[1]    = d3_neg(t->normal[0]);
    t->height[0]    = d3_dot(t->normal[0], t->vertex[0]);
    t->height[1]    = -t->height[0];
    const d3 middle = d3_scale(1.0 / 3, d3_add(t->vertex[0], d3_add(t->vertex[1], t->vertex[2])));
    t->hull         = (cd_hull){.p = {3, 2, 3, t->vertex, t->normal, t->height, start, corners, sides, edges, middle}};
}
