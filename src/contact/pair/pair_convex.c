// SPDX-License-Identifier: BSD-3-Clause
// Two convex shapes: GJK on their cores, exact nearest points from the features near its result, and contact points of flat parts.
// Where the cores overlap: a separating axis of polyhedra, else an expanding polytope.
#include "contact/contact_tolerances.h"
#include "contact/convex/convex.h"

#include <stddef.h>

static void remember(cd_pair* p, const cd_convex_result* r, bool has_features)
{
    d3_put(d3_rotate_back(p->pose_B->R, r->n), p->cache->direction);
    p->cache->valid      = true;
    p->cache->features   = has_features;
    p->cache->feature[0] = has_features ? r->feature[0] : 0;
    p->cache->feature[1] = has_features ? r->feature[1] : 0;
}

// The features of the last call, if they still have the nearest points of cores that are apart or touch.
static bool same_features(const cd_pair* p, cd_convex_result* r)
{
    if (!p->cache->features) return false;
    cd_convex_result q = {.n = d3_rotate(p->pose_B->R, d3_of(p->cache->direction))};
    uint32_t         unused;
    q.a          = cd_core_support(p->A, p->pose_A, d3_neg(q.n), &unused);
    q.b          = cd_core_support(p->B, p->pose_B, q.n, &unused);
    q.feature[0] = p->cache->feature[0], q.feature[1] = p->cache->feature[1];
    if (!cd_common_normal(p, &q) || !(q.d > -cd_pair_touch(p)) || !cd_convex_is_proved(p, &q)) return false;
    *r = q;
    return true;
}

// Two segments on one line: any normal across it, and a point of A that is nearest to the centre of B.
static void overlapping_lines(const cd_pair* p, cd_convex_result* r)
{
    d3       unused;
    const d3 axis = d3_column(p->pose_A->R, 2);
    r->n          = d3_orthogonal(axis);
    cd_shape_type_of(p->A)->nearest(p->A, cd_to_shape(p->pose_A, d3_of(p->pose_B->p)), &r->a, &unused, &r->feature[0]);
    r->a = r->b   = cd_to_world(p->pose_A, r->a);
    r->feature[1] = cd_feature(CD_FEATURE_EDGE, 0);
    r->d          = 0;
}

// Direction of the least overlap, or of a separation that is too small for GJK. False: the direction is doubtful.
static bool overlap(const cd_pair* p, cd_convex_result* r)
{
    if (cd_separating_axis(p, r)) {
        if (r->d > 0) cd_convex_polish(p, r); // else the axis remains
        return true;
    }
    if (cd_expanding_polytope(p, r)) return cd_convex_polish(p, r);
    overlapping_lines(p, r);
    return false;
}

// An overlap with a one-sided triangle whose least overlap is not on its front: along the front. False: the extreme point of A
// is not behind the triangle.
static bool overlap_along_front(const cd_pair* p, cd_convex_result* r)
{
    uint32_t feature;
    d3       point, normal;
    r->n          = p->front;
    r->a          = cd_core_support(p->A, p->pose_A, d3_neg(r->n), &r->feature[0]);
    r->d          = d3_dot(r->n, d3_sub(r->a, cd_core_support(p->B, p->pose_B, r->n, &feature)));
    r->b          = d3_add_scaled(r->a, -r->d, r->n);
    r->feature[1] = cd_feature(CD_FEATURE_FACE, 0);
    const d3 foot = cd_to_shape(p->pose_B, r->b);
    return cd_shape_type_of(p->B)->nearest(p->B, foot, &point, &normal, &feature) <= cd_pair_accuracy(p);
}

void cd_pair_convex(cd_pair* p)
{
    const double     radii = cd_shape_type_of(p->A)->offset(p->A) + cd_shape_type_of(p->B)->offset(p->B);
    cd_convex_result r     = {.n = d3_axis(0)};
    bool             exact = same_features(p, &r);
    if (!exact) {
        r.d = cd_gjk(p, p->margin + radii, &r);
        if (r.d > p->margin + radii) {
            remember(p, &r, false);
            return;
        }
        exact = r.d > 0 && cd_convex_polish(p, &r);
        if (!exact) {
            exact = overlap(p, &r);
            if (p->one_sided && !(exact && cd_is_on_front(p, r.n))) exact = overlap_along_front(p, &r);
        }
    }
    remember(p, &r, exact);
    if (exact)
        cd_convex_add(p, &r);
    else
        cd_pair_add(p, r.a, r.b, r.n, r.feature[0], r.feature[1], true);
}
