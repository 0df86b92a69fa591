// SPDX-License-Identifier: BSD-3-Clause
// Sphere against a triangle of a surface: the centre c has the height h above its plane. If its foot c - h n is inside
// the triangle, up to round-off, the contact has the normal of the face, also for centres behind the face by less than
// the radius. Else the nearest point b is on an edge or vertex, with the normal (c - b)/|c - b|, if the surface
// supports it there: then b is the nearest point of all triangles around it.
#include "contact/mesh/surface_collector.h"

#include <stddef.h>

static void add(cd_surface_collector* c, d3 b, d3 n, double distance, uint32_t feature)
{
    cd_contact_point p = {.gap = distance - c->offset,
                          .key = cd_contact_key(cd_feature(CD_FEATURE_VERTEX, 0), feature)};
    p.doubtful         = distance <= 0;
    d3_put(d3_add_scaled(d3_of(c->pose.p), -c->offset, n), p.a);
    d3_put(b, p.b);
    d3_put(n, p.normal);
    cd_surface_collect(c, &p);
}

void cd_surface_sphere(cd_surface_collector* c, const cd_surface_triangle* t)
{
    const d3     centre = d3_of(c->pose.p);
    const double height = d3_dot(d3_sub(centre, t->corner[0]), t->normal);
    d3           best   = d3_zero();
    double       least  = INFINITY;
    int          edge = 0, end = 0;
    bool         inside = true;
    for (int i = 0; i < 3; ++i) {
        const d3 from = d3_sub(centre, t->corner[i]), along = d3_sub(t->corner[(i + 1) % 3], t->corner[i]);
        // a gap between neighbours that are flat up to their tolerance is covered by both
        const double slack = c->near + (t->dihedral[i] == CD_DIHEDRAL_FLAT ? 2 * cd_flat_dihedral * fabs(height) : 0);
        if (d3_dot(from, t->inward[i]) < -slack) inside = false;
        const double s = fmax(0, fmin(1, d3_dot(from, along) / d3_dot(along, along)));
        const d3     q = d3_add_scaled(t->corner[i], s, along);
        const double d = d3_norm(d3_sub(centre, q));
        if (d < least) least = d, best = q, edge = i, end = s == 0 ? 0 : s == 1 ? 1 : -1;
    }
    if (inside) {
        if (height > -c->offset)
            add(c, d3_add_scaled(centre, -height, t->normal), t->normal, height, cd_feature(CD_FEATURE_FACE, t->face));
        return;
    }
    if (!(least > 0)) return;
    const d3 n = d3_scale(1 / least, d3_sub(centre, best));
    if (end < 0) {
        if (cd_surface_edge_supports(t, edge, n)) add(c, best, n, least, cd_feature(CD_FEATURE_EDGE, t->side[edge]));
    } else {
        const int vertex = t->vertex[(edge + end) % 3];
        if (cd_surface_vertex_supports(c->surface, vertex, n))
            add(c, best, n, least, cd_feature(CD_FEATURE_VERTEX, vertex));
    }
}
