// SPDX-License-Identifier: BSD-3-Clause
// Closed forms of contact points, for traced code: points with a radius, ellipsoid and torus against a plane, and two spheres.
// A plane has the normal n and contains p; x is the nearest point of the core of the other shape, r the radius around it:
//
//   sphere, ends of a capsule, corners of a box or hull     x fixed to the shape
//   ellipsoid, semi-axes D, axes R, centre o                q = R'n,         x = o - R D^2 q/|D q|
//   torus, axis k, radius of the circle a                   m = n - (n.k)k,  x = o - a m/|m|
//   g = n.(x - p) - r,   c = x - (r + g/2) n
//
// Two spheres: n = (x_A - x_B)/|x_A - x_B|, g = |x_A - x_B| - r_A - r_B. The direction m/|m| of a torus that lies flat on the
// plane, and n of concentric spheres, are not defined.
#include "force/closed_form_contact.h"

#include "contact/shape/hull.h"
#include "contact/shape/shape.h"

typedef struct placed {
    const cd_shape_geometry* g;
    vec3                     p;
    mat3                     R;
} placed;

static placed place(const cd_closed_form_pair* pair, const cd_world_motion* world, int i)
{
    const cd_link_frame* at = pair->frame[i];
    const frame          T  = world->pose[at->link];
    return (placed){pair->geometry[i], v3_add(T.p, m3_mul(T.R, v3_const(at->p))), m3_mul_m3(T.R, m3_const(at->R))};
}

// Points of a shape against a plane; 0: none.
static int point_count(const cd_shape_geometry* g)
{
    switch (g->kind) {
    case CD_SHAPE_SPHERE:
    case CD_SHAPE_ELLIPSOID:
    case CD_SHAPE_TORUS:
        return 1;
    case CD_SHAPE_CAPSULE:
        return 2;
    case CD_SHAPE_BOX:
        return 8;
    case CD_SHAPE_HULL:
        return g->hull->p.nvertex;
    default:
        return 0;
    }
}

int cd_closed_form_count(const cd_closed_form_pair* pair)
{
    const cd_shape_geometry *a = pair->geometry[0], *b = pair->geometry[1];
    if (a->kind == CD_SHAPE_SPHERE && b->kind == CD_SHAPE_SPHERE) return 1;
    if (b->kind == CD_SHAPE_PLANE) return point_count(a);
    return a->kind == CD_SHAPE_PLANE ? point_count(b) : 0;
}

// Core point i in the frame of the shape, for points fixed to it.
static vec3 fixed_point(const cd_shape_geometry* g, int i)
{
    double x[3] = {0, 0, 0};
    if (g->kind == CD_SHAPE_CAPSULE) x[2] = i ? g->size[1] : -g->size[1];
    for (int k = 0; g->kind == CD_SHAPE_BOX && k < 3; ++k) x[k] = (i >> k & 1 ? 1 : -1) * (g->size[k] - g->rounding);
    for (int k = 0; g->kind == CD_SHAPE_HULL && k < 3; ++k) x[k] = g->hull->p.vertex[i].e[k];
    return v3_const(x);
}

// Lowest core point of a shape over a plane with normal n.
static vec3 core_point(const placed* s, vec3 n, int i)
{
    if (s->g->kind == CD_SHAPE_ELLIPSOID) {
        const vec3 q = m3_tmul(s->R, n), D = v3_const(s->g->size);
        const vec3 Dq = v3(r_mul(D.x, q.x), r_mul(D.y, q.y), r_mul(D.z, q.z));
        const vec3 x  = v3_div(v3(r_mul(D.x, Dq.x), r_mul(D.y, Dq.y), r_mul(D.z, Dq.z)), r_sqrt(v3_dot(Dq, Dq)));
        return v3_sub(s->p, m3_mul(s->R, x));
    }
    if (s->g->kind == CD_SHAPE_TORUS) {
        const vec3 k = m3_column_z(s->R), m = v3_sub(n, v3_scale(v3_dot(n, k), k));
        return v3_sub(s->p, v3_scale(r_div(r_const(s->g->size[0]), r_sqrt(v3_dot(m, m))), m));
    }
    return v3_add(s->p, m3_mul(s->R, fixed_point(s->g, i)));
}

static real radius_around(const cd_shape_geometry* g) { return r_const(cd_shape_type_of(g)->offset(g)); }

static cd_closed_form_point spheres(const placed* a, const placed* b)
{
    const vec3 d        = v3_sub(a->p, b->p);
    const real distance = r_sqrt(v3_dot(d, d)), ra = radius_around(a->g), rb = radius_around(b->g);
    const vec3 n   = v3_div(d, distance);
    const real gap = r_sub(distance, r_add(ra, rb));
    return (cd_closed_form_point){gap, n, v3_add_scaled(b->p, r_add(rb, r_scale(0.5, gap)), n)};
}

cd_closed_form_point cd_closed_form_point_at(const cd_closed_form_pair* pair, const cd_world_motion* world, int i)
{
    const placed a = place(pair, world, 0), b = place(pair, world, 1);
    if (a.g->kind == CD_SHAPE_SPHERE && b.g->kind == CD_SHAPE_SPHERE) return spheres(&a, &b);
    const bool   plane_first = a.g->kind == CD_SHAPE_PLANE;
    const placed plane = plane_first ? a : b, round = plane_first ? b : a;
    const vec3   n = m3_column_z(plane.R), x = core_point(&round, n, i);
    const real   r = radius_around(round.g), gap = r_sub(v3_dot(n, v3_sub(x, plane.p)), r);
    const vec3   c = v3_sub(x, v3_scale(r_add(r, r_scale(0.5, gap)), n));
    return (cd_closed_form_point){gap, plane_first ? v3_neg(n) : n, c};
}
