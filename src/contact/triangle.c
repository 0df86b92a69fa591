// SPDX-License-Identifier: BSD-3-Clause
// A shape against one triangle: the general machinery of convex shapes, or of the circle of a torus, with the triangle as a flat
// polyhedron whose normals are restricted to its front.
#include "contact/triangle.h"

#include "contact/contact_pair.h"
#include "contact/contact_tolerances.h"
#include "contact/convex/region.h"
#include "contact/pair/circle_contact.h"

#include <stddef.h>

typedef struct triangle_pair {
    cd_triangle_hull  hull;
    cd_shape_geometry B;
    cd_shape_pose     a, b; // relative to the first corner
    cd_pair           pair;
    cd_pair_cache     none;
} triangle_pair;

// False: the triangle has no area, or A is behind it.
static bool start(triangle_pair* t, const cd_shape_geometry* A, const cd_shape_pose* pose_A,
                  const cd_triangle* triangle, double margin, cd_contact_point* point, int capacity)
{
    static const cd_shape_pose identity = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}};
    double                     corner[3][3];
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 3; ++i) corner[k][i] = triangle->corner[k][i] - triangle->corner[0][i];
    const d3 u = d3_of(corner[1]), v = d3_of(corner[2]);
    if (!(d3_norm(d3_cross(u, v)) > cd_hull_flatness * d3_norm(u) * d3_norm(v))) return false;
    cd_triangle_hull_init(&t->hull, corner[0], corner[1], corner[2]);
    t->B    = (cd_shape_geometry){.kind = CD_SHAPE_HULL, .hull = &t->hull.hull};
    t->a    = *pose_A;
    t->b    = identity;
    t->none = (cd_pair_cache){.valid = false};
    for (int i = 0; i < 3; ++i) t->a.p[i] -= triangle->corner[0][i];
    t->pair                   = (cd_pair){.A         = A,
                                          .B         = &t->B,
                                          .pose_A    = &t->a,
                                          .pose_B    = &t->b,
                                          .margin    = margin,
                                          .cache     = &t->none,
                                          .point     = point,
                                          .capacity  = capacity,
                                          .one_sided = true,
                                          .front     = t->hull.normal[0]};
    const cd_shape_type* type = cd_shape_type_of(A);
    uint32_t             unused;
    const d3             top = type->support(A, d3_rotate_back(t->a.R, t->pair.front), &unused);
    return d3_dot(cd_to_world(&t->a, top), t->pair.front) + type->offset(A) > 0;
}

static int finish(const triangle_pair* t, const cd_triangle* triangle)
{
    int n = 0;
    for (int k = 0; k < t->pair.count; ++k) {
        cd_contact_point* p = &t->pair.point[k];
        if (!cd_is_on_front(&t->pair, d3_of(p->normal))) continue;
        for (int i = 0; i < 3; ++i) p->a[i] += triangle->corner[0][i], p->b[i] += triangle->corner[0][i];
        t->pair.point[n++] = *p;
    }
    return n;
}

// Height above the face where the foot is inside the triangle, else the distance from its sides.
static double one_sided_distance(const void* data, d3 x, d3* point, d3* normal, uint32_t* feature)
{
    const cd_triangle_hull* h      = data;
    const double            d      = cd_polyhedron_nearest(&h->hull.p, x, point, normal, feature);
    const double            height = d3_dot(h->normal[0], x);
    if (cd_feature_kind_of(*feature) != CD_FEATURE_FACE) return d;
    *feature = cd_feature(CD_FEATURE_FACE, 0);
    *normal  = h->normal[0];
    *point   = d3_add_scaled(x, -height, *normal);
    return height;
}

static void clip_face(triangle_pair* t, d3 n)
{
    cd_region incident, face;
    cd_region_of(t->pair.A, t->pair.pose_A, d3_neg(n), cd_flat_slope, true, &incident);
    cd_region_of(t->pair.B, t->pair.pose_B, t->pair.front, cd_flat_slope, false, &face);
    cd_clip_regions(&t->pair, &face, &incident, false, t->pair.front, 0);
}

int cd_collide_triangle(const cd_shape_geometry* A, const cd_shape_pose* pose_A, const cd_triangle* triangle,
                        double margin, cd_pair_cache* cache, cd_contact_point* point, int capacity)
{
    triangle_pair t;
    if (!start(&t, A, pose_A, triangle, margin, point, capacity)) return 0;
    if (cache) t.pair.cache = cache;
    if (A->kind == CD_SHAPE_SPHERE) {
        const d3     x = d3_of(t.a.p);
        d3           y, n;
        uint32_t     feature;
        const double d = one_sided_distance(&t.hull, x, &y, &n, &feature);
        cd_pair_add(&t.pair, x, y, n, cd_feature(CD_FEATURE_VERTEX, 0), feature,
                    d <= 0 && feature != cd_feature(CD_FEATURE_FACE, 0));
    } else if (A->kind == CD_SHAPE_TORUS) {
        d3 n;
        if (cd_circle_contact(&t.pair, one_sided_distance, &t.hull, &n)) clip_face(&t, t.pair.front);
    } else {
        cd_pair_convex(&t.pair);
    }
    return finish(&t, triangle);
}

// Measure the gap along n instead of the normal of the face.
static void measure_along(const triangle_pair* t, d3 n)
{
    const double offset = cd_shape_type_of(t->pair.A)->offset(t->pair.A), cosine = d3_dot(n, t->pair.front);
    for (int k = 0; k < t->pair.count; ++k) {
        cd_contact_point* p    = &t->pair.point[k];
        const d3          core = d3_add_scaled(d3_of(p->a), offset, d3_of(p->normal));
        const double      h    = d3_dot(core, t->pair.front) / cosine;
        d3_put(d3_add_scaled(core, -offset, n), p->a);
        d3_put(d3_add_scaled(core, -h, n), p->b);
        d3_put(n, p->normal);
        p->gap = h - offset;
    }
}

int cd_collide_triangle_along(const cd_shape_geometry* A, const cd_shape_pose* pose_A, const cd_triangle* triangle,
                              const double n[3], double margin, cd_contact_point* point, int capacity)
{
    triangle_pair t;
    if (!start(&t, A, pose_A, triangle, margin, point, capacity)) return 0;
    if (!(d3_dot(d3_of(n), t.pair.front) > cd_least_facing)) return 0;
    clip_face(&t, d3_of(n));
    measure_along(&t, d3_of(n));
    return finish(&t, triangle);
}
