// SPDX-License-Identifier: BSD-3-Clause
// Contact points of a shape with a surface of triangles, without contacts at inner edges that a smooth surface would not have
// (ghosts). For every triangle near the shape the points of contact/triangle.h are taken; a point on an edge or vertex with the
// normal n is kept only if the surface there is behind the plane through it,
//
//     n.d <= 0    for the directions d into the triangles at the edge, or along all edges at the vertex,
//
// which for an edge means that n is between the normals of its triangles (Voronoi cone). Flat and concave edges have
// no such normals but those of their faces. If a point is refused, the contact is computed again along the normal of
// the face. Flat edges do not bound a face: points where they cut it are left out, because the neighbour continues it.
// Points at the same place with the same normal are one.
#include "contact/mesh/surface.h"
#include "contact/mesh/surface_collector.h"
#include "contact/contact_tolerances.h"
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
    case CD_FEATURE_EDGE:
        return cd_feature(kind, t->side[part]);
    case CD_FEATURE_VERTEX:
        return cd_feature(kind, t->vertex[part]);
    case CD_FEATURE_FACE:
        return cd_feature(kind, t->face);
    default:
        return cd_surface_part(kind, t->index, part);
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

// Heights of the lowest and of the highest point of the shape above the plane of a triangle.
static void heights(const cd_surface_collector* c, const cd_surface_triangle* t, double* low, double* high)
{
    const cd_shape_type* type = cd_shape_type_of(c->pair->A);
    const d3             up   = d3_rotate_back(c->pose.R, t->normal);
    uint32_t             feature;
    const double         base = d3_dot(d3_sub(d3_of(c->pose.p), t->corner[0]), t->normal);
    *low                      = base + d3_dot(up, type->support(c->pair->A, d3_neg(up), &feature)) - c->offset;
    *high                     = base + d3_dot(up, type->support(c->pair->A, up, &feature)) + c->offset;
}

// Overlap without a contact so far: keep the triangle whose plane is passed least.
static void note_refused(cd_surface_collector* c, const cd_surface_triangle* t, double low, const cd_contact_point* p,
                         int n)
{
    for (int k = 0; k < n; ++k)
        if (p[k].gap < 0 && low > c->refused_height) c->refused_height = low, c->refused = t->index;
}

// Points that are not near the shape (a triangle that the shape is behind of in part) are removed; returns the number
// of others.
static int remove_far(const cd_surface_collector* c, cd_contact_point* p, int n)
{
    int kept = 0;
    for (int k = 0; k < n; ++k) {
        const cd_box b = cd_box_of_points((const d3[]){d3_of(p[k].b)}, 1);
        if (cd_box_overlap(&b, &c->box)) p[kept++] = p[k];
    }
    return kept;
}

// Points along the normal of a face: vertices of the shape above the triangle, and corners and cut edges of the part
// of the shape that is parallel to the face; others have another normal.
static int remove_oblique(const cd_surface_collector* c, double low, cd_contact_point* p, int n)
{
    const double limit = low + cd_flat_slope * cd_shape_length(c->pair->A);
    int          kept  = 0;
    for (int k = 0; k < n; ++k) {
        const cd_feature_kind kind = cd_feature_kind_of(cd_contact_feature(&p[k], 1));
        if ((kind != CD_FEATURE_CLIP && kind != CD_FEATURE_CORNER) || p[k].gap <= limit) p[kept++] = p[k];
    }
    return kept;
}

static bool has_sharp_corner(const cd_surface* s, const cd_surface_triangle* t)
{
    for (int i = 0; i < 3; ++i)
        if (s->sharp(s->data, t->vertex[i])) return true;
    return false;
}

// Contacts with the normal of the face where no edge or vertex can have another one; else the points of contact/triangle.h.
static void collide_general(cd_surface_collector* c, const cd_surface_triangle* t, double low)
{
    const cd_shape_geometry* A      = c->pair->A;
    const double             margin = c->pair->margin;
    cd_triangle              triangle;
    cd_contact_point         found[CD_CONTACT_POINTS_MAX], along[CD_CONTACT_POINTS_MAX];
    int                      n = 0;
    for (int i = 0; i < 3; ++i) d3_put(t->corner[i], triangle.corner[i]);
    if (has_sharp_corner(c->surface, t)) {
        n = cd_collide_triangle(A, &c->pose, &triangle, margin, NULL, found, CD_CONTACT_POINTS_MAX);
        n = remove_far(c, found, n);
        if (n == 0 || take(c, t, found, n, true) >= 0) return;
    }
    int m = cd_collide_triangle_along(A, &c->pose, &triangle, t->normal.e, margin, along, CD_CONTACT_POINTS_MAX);
    m     = remove_oblique(c, low, along, m);
    if (take(c, t, along, m, false) == 0 && take(c, t, found, n, false) == 0) note_refused(c, t, low, found, n);
}

// Triangles that the whole shape is above by the margin, or behind, have no contact.
static void collide_with(void* context, int index)
{
    cd_surface_collector* c = context;
    cd_surface_triangle   t;
    double                low, high;
    c->surface->triangle(c->surface->data, index, &t);
    heights(c, &t, &low, &high);
    if (low >= c->pair->margin || high <= 0) return;
    if (c->pair->A->kind == CD_SHAPE_SPHERE)
        cd_surface_sphere(c, &t);
    else
        collide_general(c, &t, low);
}

// A shape that overlaps although every normal was refused: the contact of its lowest point along the normal of the face whose
// plane it passes least.
static void separate_refused(cd_surface_collector* c)
{
    for (int k = 0; k < c->pair->count; ++k)
        if (c->pair->point[k].gap < 0) return;
    if (c->refused < 0) return;
    const cd_shape_type* type = cd_shape_type_of(c->pair->A);
    cd_surface_triangle  t;
    uint32_t             feature;
    c->surface->triangle(c->surface->data, c->refused, &t);
    const d3         s = type->support(c->pair->A, d3_neg(d3_rotate_back(c->pose.R, t.normal)), &feature);
    const d3         a = d3_add_scaled(d3_add(d3_rotate(c->pose.R, s), d3_of(c->pose.p)), -c->offset, t.normal);
    cd_contact_point p = {.gap      = c->refused_height,
                          .key      = cd_contact_key(feature, cd_feature(CD_FEATURE_FACE, t.index)),
                          .doubtful = true};
    d3_put(a, p.a);
    d3_put(d3_add_scaled(a, -p.gap, t.normal), p.b);
    d3_put(t.normal, p.normal);
    cd_surface_collect(c, &p);
}

void cd_surface_collide(cd_pair* pair, const cd_surface* surface)
{
    cd_surface_collector c = {.pair           = pair,
                              .surface        = surface,
                              .offset         = cd_shape_type_of(pair->A)->offset(pair->A),
                              .refused        = -1,
                              .refused_height = -INFINITY};
    for (int i = 0; i < 3; ++i) { // pose of A in the frame of B
        const d3 column = d3_rotate_back(pair->pose_B->R, d3_column(pair->pose_A->R, i));
        for (int k = 0; k < 3; ++k) c.pose.R[3 * k + i] = column.e[k];
    }
    d3_put(cd_to_shape(pair->pose_B, d3_of(pair->pose_A->p)), c.pose.p);
    cd_shape_bounds(pair->A, &c.pose, c.box.lower, c.box.upper);
    c.near = cd_same_place * cd_shape_length(pair->A);
    c.box  = cd_box_grown(&c.box, (pair->margin > 0 ? pair->margin : 0) + c.near);
    surface->search(surface->data, &c.box, collide_with, &c);
    separate_refused(&c);
    cd_surface_finish(&c);
}
