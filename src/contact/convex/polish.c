// SPDX-License-Identifier: BSD-3-Clause
// Exact nearest points from approximate ones: the features of each core near its point are tried in pairs, the most plausible
// first. A pair with a common normal n and points a, b is accepted if
//
//   a and b are on their cores    and    n.(a - b) = s(n),
//
// which proves that they are nearest (for an overlap: that the overlap along n is extreme), and if s(n) is not smaller than that
// of the approximate normal.
#include "contact/convex/convex.h"
#include "contact/convex/region.h"
#include "contact/contact_tolerances.h"
#include "contact/shape/polyhedron.h"

enum { CANDIDATES = 4 };
typedef struct candidates {
    int      n;
    uint32_t feature[CANDIDATES];
    double   score[CANDIDATES]; // distance from the feature, and tilt times size
} candidates;

static void offer(candidates* c, uint32_t feature, double score)
{
    int i = c->n < CANDIDATES ? c->n++ : CANDIDATES;
    if (i == CANDIDATES && !(score < c->score[--i])) return;
    for (; i > 0 && c->score[i - 1] > score; --i) c->score[i] = c->score[i - 1], c->feature[i] = c->feature[i - 1];
    c->score[i] = score, c->feature[i] = feature;
}

// x, m in the frame of the shape
static void polyhedron_candidates(const cd_polyhedron* p, d3 x, d3 m, double length, candidates* c)
{
    for (int f = 0; f < p->nface; ++f)
        if (d3_dot(p->normal[f], m) > 0.5)
            offer(c, cd_feature(CD_FEATURE_FACE, f), length * d3_norm(d3_cross(p->normal[f], m)));
    for (int e = 0; e < p->nedge; ++e) {
        const d3     u = p->vertex[p->edge[e].vertex[0]], along = d3_sub(p->vertex[p->edge[e].vertex[1]], u);
        const double size = d3_norm(along), t = fmax(0, fmin(1, d3_dot(d3_sub(x, u), along) / (size * size)));
        const double tilt = fabs(d3_dot(along, m)) / size;
        offer(c, cd_feature(CD_FEATURE_EDGE, e), length * tilt + d3_norm(d3_sub(x, d3_add_scaled(u, t, along))));
    }
    for (int i = 0; i < p->nvertex; ++i) offer(c, cd_feature(CD_FEATURE_VERTEX, i), d3_norm(d3_sub(x, p->vertex[i])));
}

static void cylinder_candidates(const cd_shape_geometry* g, d3 x, d3 m, double length, candidates* c)
{
    const double r = g->size[0] - g->rounding, l = g->size[1] - g->rounding;
    const int    end    = m.e[2] > 0;
    const double radial = hypot(x.e[0], x.e[1]) - r, axial = fabs(x.e[2]) - l, tilt = hypot(m.e[0], m.e[1]);
    offer(c, cd_feature(CD_FEATURE_SIDE, 0), length * fabs(m.e[2]) + fabs(radial));
    offer(c, cd_feature(CD_FEATURE_FACE, end), length * tilt + fabs(axial));
    for (int k = 0; k < 2; ++k) offer(c, cd_feature(CD_FEATURE_CIRCLE, k), hypot(radial, fabs(x.e[2] - (k ? l : -l))));
}

static void collect(const cd_shape_geometry* g, const cd_shape_pose* pose, d3 x, d3 m, candidates* c)
{
    const d3              point = cd_to_shape(pose, x), normal = d3_rotate_back(pose->R, m);
    const double          length = cd_shape_length(g);
    cd_polyhedron_storage storage;
    cd_polyhedron         p;
    c->n = 0;
    if (cd_polyhedron_of(g, &storage, &p))
        polyhedron_candidates(&p, point, normal, length, c);
    else if (g->kind == CD_SHAPE_CYLINDER)
        cylinder_candidates(g, point, normal, length, c);
    else
        offer(c, g->kind == CD_SHAPE_ELLIPSOID ? cd_feature(CD_FEATURE_SURFACE, 0) : cd_feature(CD_FEATURE_VERTEX, 0),
              0);
}

static double distance_from_core(const cd_shape_geometry* g, const cd_shape_pose* pose, d3 x)
{
    d3       point, normal;
    uint32_t feature;
    return cd_shape_type_of(g)->nearest(g, cd_to_shape(pose, x), &point, &normal, &feature);
}

// Error of a result: zero if it is proved.
static double proof_error(const cd_pair* p, const cd_convex_result* r)
{
    const double gap = fabs(r->d - cd_separation(p, r->n));
    return fmax(gap, fmax(fmax(0, distance_from_core(p->A, p->pose_A, r->a)),
                          fmax(0, distance_from_core(p->B, p->pose_B, r->b))));
}

// Faces of one shape near its point, with the extreme feature of the other one above them: also where faces are so nearly
// parallel that the approximate points are far from it.
static bool above_face(const cd_pair* p, const candidates* c, int face_is, double lower, double accuracy,
                       cd_convex_result* r)
{
    for (int i = 0; i < c->n; ++i) {
        if (cd_feature_kind_of(c->feature[i]) != CD_FEATURE_FACE) continue;
        const cd_shape_geometry* g    = face_is == 0 ? p->A : p->B;
        const cd_shape_pose*     pose = face_is == 0 ? p->pose_A : p->pose_B;
        cd_core_feature          f;
        cd_convex_result         q = *r;
        cd_shape_type_of(g)->feature(g, c->feature[i], &f);
        const d3 inward          = d3_neg(d3_rotate(pose->R, f.axis));
        q.feature[face_is]       = c->feature[i];
        *(face_is ? &q.a : &q.b) = face_is ? cd_core_support(p->A, p->pose_A, inward, &q.feature[0])
                                           : cd_core_support(p->B, p->pose_B, inward, &q.feature[1]);
        if (!cd_common_normal(p, &q) || !(q.d >= lower && proof_error(p, &q) <= accuracy)) continue;
        *r = q;
        return true;
    }
    return false;
}

// The normal of a face that has no smaller separation than the approximate one: faces that are parallel, whose extreme point is
// not unique.
static bool along_face(const cd_pair* p, double lower, cd_convex_result* r)
{
    for (int face_is = 0; face_is < 2; ++face_is) {
        cd_region face;
        if (face_is == 0)
            cd_region_of(p->A, p->pose_A, d3_neg(r->n), cd_flat_slope, false, &face);
        else
            cd_region_of(p->B, p->pose_B, r->n, cd_flat_slope, false, &face);
        if (!cd_region_is_face(&face)) continue;
        cd_convex_result q = {.n = face_is == 0 ? d3_neg(face.flat.normal) : face.flat.normal};
        q.a                = cd_core_support(p->A, p->pose_A, d3_neg(q.n), &q.feature[0]);
        q.b                = cd_core_support(p->B, p->pose_B, q.n, &q.feature[1]);
        q.d                = d3_dot(q.n, d3_sub(q.a, q.b));
        if (!(q.d >= lower)) continue;
        q.feature[face_is]            = face.flat.face;
        *(face_is == 0 ? &q.a : &q.b) = face_is == 0 ? d3_add_scaled(q.b, q.d, q.n) : d3_add_scaled(q.a, -q.d, q.n);
        *r                            = q;
        return true;
    }
    return false;
}

bool cd_convex_is_proved(const cd_pair* p, const cd_convex_result* r)
{
    return proof_error(p, r) <= cd_pair_accuracy(p);
}

bool cd_convex_polish(const cd_pair* p, cd_convex_result* r)
{
    candidates A, B;
    collect(p->A, p->pose_A, r->a, d3_neg(r->n), &A);
    collect(p->B, p->pose_B, r->b, r->n, &B);
    struct {
        double score;
        int    i, j;
    } order[CANDIDATES * CANDIDATES];
    int n = 0;
    for (int i = 0; i < A.n; ++i)
        for (int j = 0; j < B.n; ++j) {
            const double score = A.score[i] + B.score[j];
            int          k     = n++;
            for (; k > 0 && order[k - 1].score > score; --k) order[k] = order[k - 1];
            order[k].score = score, order[k].i = i, order[k].j = j;
        }
    const double accuracy = cd_pair_accuracy(p), lower = cd_separation(p, r->n) - accuracy;
    if (above_face(p, &A, 0, lower, accuracy, r) || above_face(p, &B, 1, lower, accuracy, r)) return true;
    for (int k = 0; k < n; ++k) {
        cd_convex_result q = *r;
        q.feature[0] = A.feature[order[k].i], q.feature[1] = B.feature[order[k].j];
        if (!cd_common_normal(p, &q) || !(q.d >= lower && proof_error(p, &q) <= accuracy)) continue;
        *r = q;
        return true;
    }
    return along_face(p, lower, r);
}
