// SPDX-License-Identifier: BSD-3-Clause
// Shapes against smooth height fields, profiles and formulas, in the frame of the field. Points of the shape that may touch:
//
//   sphere, capsule   centres of their spheres: the feet of the common normal from nine starts around them, each a local minimum
//   box, hull         vertices
//   torus, cylinder   extreme point of the circle, or of each rim; where a flat part is parallel to the surface its fixed points
//   ellipsoid         the extreme point
//
// With the radius r around the core, gap = n.(s - b) - r. A crest that touches the inside of a face or the middle of a
// capsule has no contact point; a field of triangles has.
#include "contact/field/smooth_contact.h"
#include "contact/contact_tolerances.h"
#include "contact/field/field_tolerances.h"
#include "contact/shape/polyhedron.h"

#include <stddef.h>

typedef struct smooth {
    cd_pair*               pair;
    const cd_height_field* field;
    double                 near; // [m] feet that are closer are the same
    d3                     foot[9];
    int                    nfoot; // of one core feature
} smooth;

static cd_smooth_core to_field(const cd_pair* pair, const cd_core_feature* feature)
{
    cd_smooth_core core = {.feature = *feature};
    core.feature.origin = cd_to_shape(pair->pose_B, cd_to_world(pair->pose_A, feature->origin));
    core.feature.axis   = d3_rotate_back(pair->pose_B->R, d3_rotate(pair->pose_A->R, feature->axis));
    for (int i = 0; i < 3; ++i) {
        const d3 column = d3_rotate_back(pair->pose_B->R, d3_column(pair->pose_A->R, i));
        for (int k = 0; k < 3; ++k) core.R[3 * k + i] = column.e[k];
    }
    return core;
}

// Contact point of a core feature from a start. Feet found before are left out.
static void add_from(smooth* c, const cd_smooth_core* core, uint32_t feature, double x, double y)
{
    cd_smooth_foot f;
    if (!cd_smooth_foot_find(c->field, core, x, y, &f)) return;
    if (!cd_height_inside(c->field, f.b.e[0], f.b.e[1])) return;
    for (int k = 0; k < c->nfoot; ++k)
        if (d3_norm(d3_sub(c->foot[k], f.b)) <= c->near) return;
    const cd_shape_pose* B = c->pair->pose_B;
    cd_pair_add(c->pair, cd_to_world(B, f.s), cd_to_world(B, f.b), d3_rotate(B->R, f.n), feature,
                cd_feature(CD_FEATURE_SURFACE, c->nfoot), false);
    c->foot[c->nfoot++] = f.b;
}

// The distance of a point has a maximum or saddle where the surface is curved more than the sphere around it: no contact.
static bool is_minimum(const smooth* c, const cd_smooth_foot* f)
{
    cd_height h;
    cd_height_evaluate(c->field, f->b.e[0], f->b.e[1], &h);
    const double rise = f->s.e[2] - f->b.e[2]; // second derivatives of |s - b|^2/2: b_i.b_j - (s - b).b_ij
    const double xx = 1 + h.x * h.x - rise * h.xx, xy = h.x * h.y - rise * h.xy, yy = 1 + h.y * h.y - rise * h.yy;
    return xx > 0 && xx * yy > xy * xy;
}

// A point with the radius `reach`: below it first, then around it.
static void add_point(smooth* c, d3 x, uint32_t feature, double reach)
{
    static const double   place[9][2] = {{0, 0},     {1, 0},      {-1, 0},      {0, 1},     {0, -1},
                                         {0.7, 0.7}, {-0.7, 0.7}, {-0.7, -0.7}, {0.7, -0.7}};
    const cd_core_feature point       = {.kind = CD_CORE_POINT, .origin = x, .axis = d3_axis(2)};
    const cd_smooth_core  core        = to_field(c->pair, &point);
    const int             starts      = reach > cd_small_sphere * fmin(c->field->d.dx, c->field->d.dy) ? 9 : 1;
    c->nfoot                          = 0;
    for (int k = 0; k < starts; ++k) {
        const d3       o = core.feature.origin;
        cd_smooth_foot f;
        if (cd_smooth_foot_find(c->field, &core, o.e[0] + 0.7 * reach * place[k][0], o.e[1] + 0.7 * reach * place[k][1],
                                &f) &&
            is_minimum(c, &f))
            add_from(c, &core, feature, f.b.e[0], f.b.e[1]);
    }
}

static void add_vertices(smooth* c, const cd_polyhedron* p, double reach)
{
    for (int i = 0; i < p->nvertex; ++i) add_point(c, p->vertex[i], cd_feature(CD_FEATURE_VERTEX, i), reach);
}

// The contact of one feature of the core from the foot below its point x.
static void add_feature(smooth* c, uint32_t feature, d3 x)
{
    const cd_pair*  pair = c->pair;
    cd_core_feature local;
    cd_shape_type_of(pair->A)->feature(pair->A, feature, &local);
    const cd_smooth_core core  = to_field(pair, &local);
    const d3             start = cd_to_shape(pair->pose_B, cd_to_world(pair->pose_A, x));
    c->nfoot                   = 0;
    add_from(c, &core, feature, start.e[0], start.e[1]);
}

// Extreme parts of a core without vertices towards the surface below its centre.
static void add_extreme(smooth* c)
{
    const cd_pair*       pair = c->pair;
    const cd_shape_type* type = cd_shape_type_of(pair->A);
    const d3             o    = cd_to_shape(pair->pose_B, d3_of(pair->pose_A->p));
    cd_height            h;
    cd_height_evaluate(c->field, o.e[0], o.e[1], &h);
    uint32_t feature;
    const d3 down   = d3_neg(d3_rotate_back(pair->pose_A->R, d3_rotate(pair->pose_B->R, cd_height_normal(&h))));
    const d3 x      = type->support(pair->A, down, &feature);
    cd_flat  flat   = {0};
    bool     listed = false;
    if (type->flat) type->flat(pair->A, down, cd_flat_slope, &flat);
    for (int i = 0; i < flat.n; ++i) {
        add_feature(c, flat.corner[i], flat.x[i]);
        listed |= flat.corner[i] == feature;
    }
    if (listed || (flat.n >= 3 && hypot(down.e[0], down.e[1]) <= cd_extreme_slope)) return;
    add_feature(c, feature, x);
}

void cd_smooth_collide(cd_pair* pair)
{
    const cd_height_field* field  = pair->B->field;
    const double           radius = cd_shape_type_of(pair->A)->offset(pair->A);
    smooth                 c      = {.pair = pair, .field = field};
    c.near                        = cd_same_foot * (cd_shape_length(pair->A) + fmin(field->d.dx, field->d.dy));
    cd_polyhedron_storage storage;
    cd_polyhedron         p;
    if (pair->A->kind == CD_SHAPE_SPHERE) {
        add_point(&c, d3_zero(), cd_feature(CD_FEATURE_VERTEX, 0), radius);
    } else if (cd_polyhedron_of(pair->A, &storage, &p)) {
        add_vertices(&c, &p, pair->A->kind == CD_SHAPE_CAPSULE ? radius : 0);
    } else {
        add_extreme(&c);
    }
}
