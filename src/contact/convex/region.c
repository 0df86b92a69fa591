// SPDX-License-Identifier: BSD-3-Clause
// Flat part of a core in a direction.
#include "contact/convex/region.h"
#include "contact/contact_tolerances.h"
#include "contact/shape/polyhedron.h"
#include "math/pi.h"

// The direction that is given to `flat`: the normal of the face nearest to d.
static d3 nearest_normal(const cd_polyhedron* p, d3 d)
{
    int best = 0;
    for (int f = 1; f < p->nface; ++f)
        if (d3_dot(p->normal[f], d) > d3_dot(p->normal[best], d)) best = f;
    return p->normal[best];
}

static void circle_of(const cd_shape_geometry* g, const cd_shape_pose* pose, d3 d, cd_region* r)
{
    cd_core_feature f;
    d3              down = d;
    r->kind              = g->kind == CD_SHAPE_TORUS ? CD_REGION_RING : CD_REGION_DISC;
    const d3 x           = cd_shape_type_of(g)->support(g, down, &r->extreme_feature);
    cd_shape_type_of(g)->feature(g, r->extreme_feature, &f);
    r->centre      = cd_to_world(pose, f.origin);
    r->radius      = f.radius;
    r->e[0]        = d3_column(pose->R, 0);
    r->e[1]        = d3_column(pose->R, 1);
    r->extreme     = cd_to_world(pose, x);
    r->has_extreme = hypot(down.e[0], down.e[1]) > cd_extreme_slope;
}

void cd_region_of(const cd_shape_geometry* g, const cd_shape_pose* pose, d3 d, double slope, bool any_slope,
                  cd_region* r)
{
    const cd_shape_type*  type = cd_shape_type_of(g);
    cd_polyhedron_storage storage;
    cd_polyhedron         p;
    d3                    local = d3_rotate_back(pose->R, d);
    r->has_extreme = false, r->flat.n = 0;
    if (any_slope && cd_polyhedron_of(g, &storage, &p)) { // the face need not contain the extreme vertex
        r->extreme     = cd_to_world(pose, type->support(g, local, &r->extreme_feature));
        r->has_extreme = true;
        local          = p.nface ? nearest_normal(&p, local) : d3_axis(0);
    }
    if (type->flat) {
        type->flat(g, local, slope, &r->flat);
    } else {
        r->flat.n    = 1;
        r->flat.x[0] = type->support(g, local, &r->flat.corner[0]);
    }
    r->kind = r->flat.n >= 3 ? CD_REGION_POLYGON : r->flat.n == 2 ? CD_REGION_SEGMENT : CD_REGION_POINT;
    for (int i = 0; i < r->flat.n; ++i) r->flat.x[i] = cd_to_world(pose, r->flat.x[i]);
    if (r->flat.n < 3) return;
    r->flat.normal = d3_rotate(pose->R, r->flat.normal);
    if (g->kind == CD_SHAPE_CYLINDER || g->kind == CD_SHAPE_TORUS) circle_of(g, pose, local, r);
}

double cd_region_area(const cd_region* r)
{
    if (r->kind == CD_REGION_DISC) return CD_PI * r->radius * r->radius;
    d3 sum = d3_zero();
    for (int i = 1; i + 1 < r->flat.n; ++i)
        sum = d3_add(sum, d3_cross(d3_sub(r->flat.x[i], r->flat.x[0]), d3_sub(r->flat.x[i + 1], r->flat.x[0])));
    return d3_norm(sum) / 2;
}
