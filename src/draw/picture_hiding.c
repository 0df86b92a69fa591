// SPDX-License-Identifier: BSD-3-Clause
// Bodies that hide others. Points of a body are hidden where the ray from the point to the viewer meets a solid of
// another body. A body that hides a large part of another one is drawn transparent.
#include "draw/picture.h"

#include "core/memory.h"

#include <stdlib.h>
#include <string.h>

enum { BAR_SAMPLES = 8, RAYS_MAX = 10000000 }; // points per bar; tests of a picture: above, no body is transparent

// Distance from p along the unit vector d to a sphere; -INFINITY if the ray does not meet it.
static double ray_to_sphere(cd_xyz p, cd_xyz d, cd_xyz centre, double r)
{
    const cd_xyz s = xyz_sub(p, centre);
    const double b = xyz_dot(s, d), root = b * b - xyz_dot(s, s) + r * r;
    return root > 0 ? sqrt(root) - b : -INFINITY;
}

// The same to a cylinder with its ends at a and b: the larger of the distances to its side and to its ends.
static double ray_to_cylinder(cd_xyz p, cd_xyz d, const cd_primitive* m)
{
    const double length = xyz_distance(m->a, m->b);
    if (!(length > 0)) return -INFINITY;
    const cd_xyz u = xyz_scale(1 / length, xyz_sub(m->b, m->a)), s = xyz_sub(p, m->a);
    const double sa = xyz_dot(s, u), da = xyz_dot(d, u);
    const cd_xyz sn = xyz_add_scaled(s, -sa, u), dn = xyz_add_scaled(d, -da, u);
    const double a = xyz_dot(dn, dn), b = xyz_dot(sn, dn), c = xyz_dot(sn, sn) - m->radius * m->radius;
    double       far = -INFINITY;
    if (a > cd_direction_tolerance && b * b > a * c) {
        const double t = (sqrt(b * b - a * c) - b) / a;
        if (sa + t * da >= 0 && sa + t * da <= length) far = t;
    }
    for (int i = 0; i < 2 && fabs(da) > cd_direction_tolerance; ++i) {
        const double t = ((i ? length : 0) - sa) / da;
        if (c + 2 * t * b + t * t * a <= 0) far = fmax(far, t);
    }
    return far;
}

// The same to a solid face that is visible: a convex polygon.
static double ray_to_face(cd_xyz p, cd_xyz d, const cd_scene* scene, const cd_primitive* m)
{
    const cd_xyz  n  = cd_face_normal(scene, m);
    const cd_xyz* q  = scene->point + m->first;
    const double  dn = xyz_dot(d, n);
    if (dn <= cd_direction_tolerance) return -INFINITY;
    const double t  = xyz_dot(xyz_sub(q[0], p), n) / dn;
    const cd_xyz at = xyz_add_scaled(p, t, d);
    for (int i = 0; i < m->count; ++i) {
        const cd_xyz edge = xyz_sub(q[(i + 1) % m->count], q[i]);
        if (xyz_dot(xyz_cross(edge, xyz_sub(at, q[i])), n) < 0) return -INFINITY;
    }
    return t;
}

static bool is_solid(const cd_picture* p, const cd_primitive* m)
{
    if (m->body < 0) return false;
    if (m->kind == CD_PRIMITIVE_FACE) return m->solid;
    return m->kind == CD_PRIMITIVE_SPHERE ||
           (m->kind == CD_PRIMITIVE_BAR && m->radius > 0 && cd_bar_width(p, m) > CD_CYLINDER_WIDTH_MIN);
}

static bool hides(const cd_picture* p, const cd_scene* scene, const cd_primitive* m, cd_xyz point)
{
    const cd_xyz d = p->camera->toward;
    const double t = m->kind == CD_PRIMITIVE_FACE  ? ray_to_face(point, d, scene, m)
                     : m->kind == CD_PRIMITIVE_BAR ? ray_to_cylinder(point, d, m)
                                                   : ray_to_sphere(point, d, m->a, m->radius);
    return t * p->scale > 1; // [px]
}

// Points of a primitive for which is tested whether they are hidden. Returns their number.
static int sample_points(const cd_scene* scene, const cd_primitive* m, cd_xyz at[BAR_SAMPLES])
{
    if (m->kind == CD_PRIMITIVE_BAR)
        for (int i = 0; i < BAR_SAMPLES; ++i)
            at[i] = xyz_add_scaled(m->a, (i + 0.5) / BAR_SAMPLES, xyz_sub(m->b, m->a));
    if (m->kind == CD_PRIMITIVE_BAR) return BAR_SAMPLES;
    at[0] = m->a;
    if (m->kind != CD_PRIMITIVE_FACE) return m->kind == CD_PRIMITIVE_SPHERE || m->kind == CD_PRIMITIVE_POINT_MASS;
    at[0] = (cd_xyz){0, 0, 0};
    for (int i = 0; i < m->count; ++i) at[0] = xyz_add_scaled(at[0], 1.0 / m->count, scene->point[m->first + i]);
    return 1;
}

typedef struct hiding_test {
    const cd_picture* picture;
    const cd_scene*   scene;
    int               nsolid;
    int*              solid;  // (nsolid) indices of primitives
    int*              hidden; // (nbody) points of one body that each other body hides
    int*              last;   // (nbody) last point that it hides: several solids of one body count once
} hiding_test;

// Count the points of `body` that each other body hides. Returns the number of points.
static int count_hidden(const hiding_test* t, int body)
{
    int    npoint = 0;
    cd_xyz at[BAR_SAMPLES];
    for (int i = 0; i < t->scene->nprimitive; ++i) {
        const cd_primitive* m     = &t->scene->primitive[i];
        const int           count = m->body == body ? sample_points(t->scene, m, at) : 0;
        for (int k = 0; k < count; ++k) {
            ++npoint;
            for (int j = 0; j < t->nsolid; ++j) {
                const cd_primitive* solid = &t->scene->primitive[t->solid[j]];
                if (solid->body == body || t->last[solid->body] == npoint) continue;
                if (!hides(t->picture, t->scene, solid, at[k])) continue;
                t->last[solid->body] = npoint;
                ++t->hidden[solid->body];
            }
        }
    }
    return npoint;
}

static void find_hiding_bodies(const hiding_test* t, int nbody, bool* hiding)
{
    for (int body = 0; body < nbody; ++body) {
        memset(t->hidden, 0, (size_t)nbody * sizeof *t->hidden);
        memset(t->last, 0, (size_t)nbody * sizeof *t->last);
        const int npoint = count_hidden(t, body);
        for (int i = 0; i < nbody; ++i)
            if (npoint > 0 && t->hidden[i] >= cd_hidden_fraction * npoint) hiding[i] = true;
    }
}

bool cd_find_hiding_bodies(const cd_picture* p, const cd_scene* scene, bool* hiding)
{
    const size_t nbody = (size_t)p->view->nbody, nprimitive = (size_t)scene->nprimitive;
    hiding_test  t = {.picture = p, .scene = scene};
    memset(hiding, 0, nbody * sizeof *hiding);
    for (size_t i = 0; i < nprimitive; ++i) t.nsolid += is_solid(p, &scene->primitive[i]);
    if (t.nsolid == 0 || (double)nprimitive * ((double)nbody + (double)t.nsolid * BAR_SAMPLES) > RAYS_MAX) return true;
    t.solid         = cd_allocate((size_t)t.nsolid, sizeof *t.solid);
    t.hidden        = cd_allocate(nbody, sizeof *t.hidden);
    t.last          = cd_allocate(nbody, sizeof *t.last);
    const bool good = t.solid && t.hidden && t.last;
    for (int i = 0, n = 0; good && i < scene->nprimitive; ++i)
        if (is_solid(p, &scene->primitive[i])) t.solid[n++] = i;
    if (good) find_hiding_bodies(&t, (int)nbody, hiding);
    free(t.solid);
    free(t.hidden);
    free(t.last);
    return good;
}
