// SPDX-License-Identifier: BSD-3-Clause
// Convex polyhedra: extreme point, nearest point, flat parts and local geometry.
#include "contact/shape/polyhedron.h"
#include "contact/shape/hull.h"

#include <stddef.h>

static const cd_edge segment_edge = {{0, 1}, {-1, -1}};
static const int     no_faces[1]  = {0};

bool cd_polyhedron_of(const cd_shape_geometry* g, cd_polyhedron_storage* storage, cd_polyhedron* p)
{
    if (g->kind == CD_SHAPE_BOX) {
        cd_box_polyhedron(g, storage, p);
    } else if (g->kind == CD_SHAPE_HULL) {
        *p = g->hull->p;
    } else if (g->kind == CD_SHAPE_CAPSULE) {
        storage->vertex[0] = (d3){{0, 0, -g->size[1]}};
        storage->vertex[1] = (d3){{0, 0, g->size[1]}};
        *p                 = (cd_polyhedron){
                            .nvertex = 2, .nedge = 1, .vertex = storage->vertex, .face_start = no_faces, .edge = &segment_edge};
    } else {
        return false;
    }
    return true;
}

d3 cd_polyhedron_support(const cd_polyhedron* p, d3 d, uint32_t* feature)
{
    int    best = 0;
    double most = d3_dot(p->vertex[0], d);
    for (int i = 1; i < p->nvertex; ++i) {
        const double height = d3_dot(p->vertex[i], d);
        if (height > most) most = height, best = i;
    }
    *feature = cd_feature(CD_FEATURE_VERTEX, best);
    return p->vertex[best];
}

// Nearest point of a face to x above it: inside all sides, or on the nearest of its edges.
static double face_nearest(const cd_polyhedron* p, int face, d3 x, d3* point, uint32_t* feature)
{
    const double height = d3_dot(p->normal[face], x) - p->height[face];
    const d3     foot   = d3_add_scaled(x, -height, p->normal[face]);
    bool         inside = true;
    double       least  = INFINITY;
    for (int i = p->face_start[face]; i < p->face_start[face + 1]; ++i) {
        const int next = i + 1 < p->face_start[face + 1] ? i + 1 : p->face_start[face];
        const d3  u = p->vertex[p->face_vertex[i]], along = d3_sub(p->vertex[p->face_vertex[next]], u);
        const d3  out = d3_cross(along, p->normal[face]), from = d3_sub(foot, u);
        if (d3_dot(from, out) <= 0) continue;
        inside                = false;
        const double t        = d3_dot(from, along) / d3_dot(along, along);
        const d3     q        = d3_add_scaled(u, fmax(0, fmin(1, t)), along);
        const double distance = d3_norm(d3_sub(x, q));
        if (distance >= least) continue;
        least    = distance;
        *point   = q;
        *feature = t <= 0   ? cd_feature(CD_FEATURE_VERTEX, p->face_vertex[i])
                   : t >= 1 ? cd_feature(CD_FEATURE_VERTEX, p->face_vertex[next])
                            : cd_feature(CD_FEATURE_EDGE, p->face_edge[i]);
    }
    if (!inside) return least;
    *point   = foot;
    *feature = cd_feature(CD_FEATURE_FACE, face);
    return height;
}

double cd_polyhedron_nearest(const cd_polyhedron* p, d3 x, d3* point, d3* normal, uint32_t* feature)
{
    int    top  = 0;
    double most = -INFINITY, least = INFINITY;
    for (int f = 0; f < p->nface; ++f) {
        const double height = d3_dot(p->normal[f], x) - p->height[f];
        if (height > most) most = height, top = f;
        if (height < 0 || (height == 0 && p->nface > 2)) continue; // a triangle has no inside
        d3           q;
        uint32_t     part;
        const double distance = face_nearest(p, f, x, &q, &part);
        if (distance < least) least = distance, *point = q, *feature = part;
    }
    const bool outside = least > 0 && least < INFINITY;
    if (outside && cd_feature_kind_of(*feature) != CD_FEATURE_FACE) {
        *normal = d3_scale(1 / least, d3_sub(x, *point));
        return least;
    }
    if (outside) top = cd_feature_index(*feature);
    *normal             = p->normal[top];
    const double height = d3_dot(p->normal[top], x) - p->height[top];
    *point              = d3_add_scaled(x, -height, *normal);
    *feature            = cd_feature(CD_FEATURE_FACE, top);
    return height;
}

// A face with more corners than there is room for is represented by some of them, evenly distributed.
static void flat_face(const cd_polyhedron* p, int face, cd_flat* flat)
{
    const int start = p->face_start[face], n = p->face_start[face + 1] - start;
    flat->n      = n < CD_FLAT_POINTS ? n : CD_FLAT_POINTS;
    flat->normal = p->normal[face];
    flat->face   = cd_feature(CD_FEATURE_FACE, face);
    for (int i = 0; i < flat->n; ++i) {
        const int k     = start + i * n / flat->n;
        flat->x[i]      = p->vertex[p->face_vertex[k]];
        flat->corner[i] = cd_feature(CD_FEATURE_VERTEX, p->face_vertex[k]);
        flat->side[i]   = cd_feature(CD_FEATURE_EDGE, p->face_edge[k]);
    }
}

void cd_polyhedron_flat(const cd_polyhedron* p, d3 d, double slope, cd_flat* flat)
{
    const double length = d3_norm(d);
    int          best   = -1;
    double       most = -INFINITY, least = INFINITY;
    for (int f = 0; f < p->nface; ++f) {
        const double cosine = d3_dot(p->normal[f], d);
        if (cosine > most) most = cosine, best = f;
    }
    if (best >= 0 && d3_norm(d3_cross(p->normal[best], d)) <= slope * length && most > 0) {
        flat_face(p, best, flat);
        return;
    }
    flat->n                = 1;
    flat->x[0]             = cd_polyhedron_support(p, d, &flat->corner[0]);
    const int vertex       = cd_feature_index(flat->corner[0]);
    int       nearest_edge = -1;
    for (int e = 0; e < p->nedge; ++e) {
        const cd_edge* edge = &p->edge[e];
        if (edge->vertex[0] != vertex && edge->vertex[1] != vertex) continue;
        const d3     along = d3_sub(p->vertex[edge->vertex[1]], p->vertex[edge->vertex[0]]);
        const double tilt  = fabs(d3_dot(along, d)) / (d3_norm(along) * length);
        if (tilt <= slope && tilt < least) least = tilt, nearest_edge = e;
    }
    if (nearest_edge < 0) return;
    flat->n = 2;
    for (int k = 0; k < 2; ++k) {
        flat->x[k]      = p->vertex[p->edge[nearest_edge].vertex[k]];
        flat->corner[k] = cd_feature(CD_FEATURE_VERTEX, p->edge[nearest_edge].vertex[k]);
        flat->side[k]   = cd_feature(CD_FEATURE_EDGE, nearest_edge);
    }
}

void cd_polyhedron_feature(const cd_polyhedron* p, uint32_t feature, cd_core_feature* f)
{
    const int i = cd_feature_index(feature);
    *f          = (cd_core_feature){.kind = CD_CORE_POINT};
    if (cd_feature_kind_of(feature) == CD_FEATURE_VERTEX) {
        f->origin = p->vertex[i];
    } else if (cd_feature_kind_of(feature) == CD_FEATURE_EDGE) {
        const d3 u = p->vertex[p->edge[i].vertex[0]], along = d3_sub(p->vertex[p->edge[i].vertex[1]], u);
        f->kind        = CD_CORE_LINE;
        f->half_length = d3_norm(along) / 2;
        f->axis        = d3_unit(along);
        f->origin      = d3_add_scaled(u, 0.5, along);
    } else {
        f->kind   = CD_CORE_PLANE;
        f->axis   = p->normal[i];
        f->origin = d3_scale(p->height[i], p->normal[i]);
    }
}
