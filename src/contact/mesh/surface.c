// SPDX-License-Identifier: BSD-3-Clause
// Contact points of a shape with a surface of triangles, without contacts at inner edges that a smooth surface would not have
// (ghosts). For every triangle near the shape the points of contact/triangle.h are taken; a point on an edge or vertex with the
// normal n is kept only if the surface there is behind the plane through it,
//
//     n.d <= 0    for the directions d into the triangles at the edge, or along all edges at the vertex,
//
// which for an edge means that n is between the normals of its triangles (Voronoi cone). Flat and concave edges have no such
// normals but those of their faces. If a point is refused, the contact is computed again along the normal of the face. Flat edges
// do not bound a face: points where they cut it are left out, because the neighbour continues it. Points at the same place with
// the same normal are one.
#include "contact/mesh/surface.h"
#include "contact/mesh/surface_collector.h"
#include "contact/triangle.h"

#include <stddef.h>

void cd_surface_edge(cd_surface_triangle* t, int i, const d3* neighbour_normal)
{
    const d3 along = d3_unit(d3_sub(t->corner[(i + 1) % 3], t->corner[i]));
    t->inward[i]   = d3_cross(t->normal, along);
    t->across[i]   = d3_zero();
    t->dihedral[i] = CD_DIHEDRAL_OPEN;
    if (!neighbour_normal) return;
    t->across[i]   = d3_cross(along, *neighbour_normal);
    t->dihedral[i] = cd_dihedral_of(t->normal, *neighbour_normal, along);
}

bool cd_surface_edge_supports(const cd_surface_triangle* t, int i, d3 n)
{
    if (t->dihedral[i] == CD_DIHEDRAL_CONCAVE || t->dihedral[i] == CD_DIHEDRAL_FLAT) return false;
    return d3_dot(n, t->inward[i]) <= cd_cone_slack && d3_dot(n, t->across[i]) <= cd_cone_slack;
}

bool cd_surface_vertex_supports(const cd_surface* s, int vertex, d3 n)
{
    d3          along[CD_SPOKES_MAX];
    cd_dihedral dihedral[CD_SPOKES_MAX];
    const int   count = s->spokes(s->data, vertex, CD_SPOKES_MAX, along, dihedral);
    for (int k = 0; k < count; ++k)
        if (d3_dot(n, along[k]) > cd_cone_slack) return false;
    return true;
}

static bool vertex_is_flat(const cd_surface* s, int vertex)
{
    d3          along[CD_SPOKES_MAX];
    cd_dihedral dihedral[CD_SPOKES_MAX];
    const int   count = s->spokes(s->data, vertex, CD_SPOKES_MAX, along, dihedral);
    for (int k = 0; k < count; ++k)
        if (dihedral[k] != CD_DIHEDRAL_FLAT) return false;
    return true;
}

typedef enum verdict {
    KEEP,
    LEAVE_OUT, // another triangle has the contact
    REFUSE     // the normal is not one of the surface
} verdict;

static verdict judge(const cd_surface_collector* c, const cd_surface_triangle* t, const cd_contact_point* p)
{
    int                   part;
    const cd_feature_kind kind = cd_triangle_part(p, &part), whole = cd_feature_kind_of(cd_contact_feature(p, 1));
    const d3              n    = d3_of(p->normal);
    const bool            face = d3_norm(d3_sub(n, t->normal)) <= cd_flat_dihedral;
    if (kind == CD_FEATURE_FACE) return face ? KEEP : REFUSE;
    if (kind == CD_FEATURE_EDGE) {
        if (face) return whole == CD_FEATURE_CLIP && t->dihedral[part] == CD_DIHEDRAL_FLAT ? LEAVE_OUT : KEEP;
        return cd_surface_edge_supports(t, part, n) ? KEEP : REFUSE;
    }
    if (face) return whole == CD_FEATURE_CORNER && vertex_is_flat(c->surface, t->vertex[part]) ? LEAVE_OUT : KEEP;
    return cd_surface_vertex_supports(c->surface, t->vertex[part], n) ? KEEP : REFUSE;
}

static uint32_t feature_of(const cd_surface_triangle* t, const cd_contact_point* p)
{
    int                   part;
    const cd_feature_kind kind = cd_feature_kind_of(cd_contact_feature(p, 1));
    cd_triangle_part(p, &part);
    switch (kind) {
    case CD_FEATURE_EDGE: return cd_feature(kind, t->side[part]);
    case CD_FEATURE_VERTEX: return cd_feature(kind, t->vertex[part]);
    case CD_FEATURE_FACE: return cd_feature(kind, t->index);
    default: return cd_surface_part(kind, t->index, part);
    }
}

// The contact with the normal of the face instead of one that differs by less than the flatness of edges.
static void align(cd_surface_collector* c, const cd_surface_triangle* t, cd_contact_point* p)
{
    const double r    = c->offset;
    const d3     core = d3_add_scaled(d3_of(p->a), r, d3_of(p->normal));
    const double gap  = d3_dot(d3_sub(core, t->corner[0]), t->normal) - r;
    const d3     a    = d3_add_scaled(core, -r, t->normal);
    d3_put(a, p->a);
    d3_put(d3_add_scaled(a, -gap, t->normal), p->b);
    d3_put(t->normal, p->normal);
    p->gap = gap;
}

// Take over points of a triangle; returns their number, -1 if one is refused (then none is taken if `all_or_none`).
static int take(cd_surface_collector* c, const cd_surface_triangle* t, cd_contact_point* p, int n, bool all_or_none)
{
    int     count = 0;
    verdict verdict_of[CD_CONTACT_POINTS_MAX];
    for (int k = 0; k < n; ++k) {
        verdict_of[k] = judge(c, t, &p[k]);
        if (verdict_of[k] == REFUSE && all_or_none) return -1;
    }
    for (int k = 0; k < n; ++k) {
        if (verdict_of[k] != KEEP) continue;
        if (d3_norm(d3_sub(d3_of(p[k].normal), t->normal)) <= cd_flat_dihedral) align(c, t, &p[k]);
        p[k].key = cd_contact_key(cd_contact_feature(&p[k], 0), feature_of(t, &p[k]));
        cd_surface_collect(c, &p[k]);
        ++count;
    }
    return count;
}

// The whole shape is above the plane of a triangle by the margin, or behind it.
static bool apart(const cd_surface_collector* c, const cd_surface_triangle* t)
{
    const cd_shape_type* type = cd_shape_type_of(c->pair->A);
    const d3             up   = d3_rotate_back(c->pose.R, t->normal);
    uint32_t             feature;
    const double         base = d3_dot(d3_sub(d3_of(c->pose.p), t->corner[0]), t->normal);
    if (base + d3_dot(up, type->support(c->pair->A, d3_neg(up), &feature)) - c->offset >= c->pair->margin) return true;
    return base + d3_dot(up, type->support(c->pair->A, up, &feature)) + c->offset <= 0;
}

static void collide_with(void* context, int index)
{
    cd_surface_collector* c = context;
    cd_surface_triangle   t;
    c->surface->triangle(c->surface->data, index, &t);
    if (apart(c, &t)) return;
    if (c->pair->A->kind == CD_SHAPE_SPHERE) {
        cd_surface_sphere(c, &t);
        return;
    }
    cd_triangle      triangle;
    cd_contact_point found[CD_CONTACT_POINTS_MAX], along[CD_CONTACT_POINTS_MAX];
    for (int i = 0; i < 3; ++i) d3_put(t.corner[i], triangle.corner[i]);
    const cd_shape_geometry* A      = c->pair->A;
    const double             margin = c->pair->margin;
    const int n = cd_collide_triangle(A, &c->pose, &triangle, margin, NULL, found, CD_CONTACT_POINTS_MAX);
    if (n == 0 || take(c, &t, found, n, true) >= 0) return;
    const int m = cd_collide_triangle_along(A, &c->pose, &triangle, t.normal.e, margin, along, CD_CONTACT_POINTS_MAX);
    if (take(c, &t, along, m, false) == 0) take(c, &t, found, n, false);
}

void cd_surface_collide(cd_pair* pair, const cd_surface* surface)
{
    cd_surface_collector c = {.pair = pair, .surface = surface, .offset = cd_shape_type_of(pair->A)->offset(pair->A)};
    for (int i = 0; i < 3; ++i) { // pose of A in the frame of B
        const d3 column = d3_rotate_back(pair->pose_B->R, d3_column(pair->pose_A->R, i));
        for (int k = 0; k < 3; ++k) c.pose.R[3 * k + i] = column.e[k];
    }
    d3_put(cd_to_shape(pair->pose_B, d3_of(pair->pose_A->p)), c.pose.p);
    cd_box box;
    cd_shape_bounds(pair->A, &c.pose, box.lower, box.upper);
    c.near = cd_same_place * cd_shape_length(pair->A);
    box    = cd_box_grown(&box, pair->margin > 0 ? pair->margin : 0);
    surface->search(surface->data, &box, collide_with, &c);
    cd_surface_finish(&c);
}
