// SPDX-License-Identifier: BSD-3-Clause
// Two convex shapes: GJK on their cores, exact nearest points from the features near its result, and contact points of flat parts.
// Where the cores overlap: a separating axis of polyhedra, else an expanding polytope.
#include "contact/contact_tolerances.h"
#include "contact/convex/convex.h"

#include <stddef.h>

double cd_pair_length(const cd_pair* p)
{
    const double a = cd_shape_length(p->A), b = cd_shape_length(p->B);
    return fmin(a, b);
}

static void remember(cd_pair* p, const cd_convex_result* r, bool has_axis)
{
    d3_put(d3_rotate_back(p->pose_B->R, r->n), p->cache->direction);
    p->cache->valid   = true;
    p->cache->axis[0] = has_axis ? r->feature[0] : 0;
    p->cache->axis[1] = has_axis ? r->feature[1] : 0;
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

// Direction of the least overlap, or of a separation that is too small for GJK.
static void overlap(const cd_pair* p, cd_convex_result* r, bool* doubtful, bool* has_axis)
{
    *has_axis = cd_separating_axis(p, r);
    if (*has_axis && r->d > 0) *has_axis = !cd_convex_polish(p, r);
    if (*has_axis || r->d > 0) return;
    if (cd_expanding_polytope(p, r))
        *doubtful = !cd_convex_polish(p, r);
    else
        overlapping_lines(p, r), *doubtful = true;
}

void cd_pair_convex(cd_pair* p)
{
    const double     radii    = cd_shape_type_of(p->A)->offset(p->A) + cd_shape_type_of(p->B)->offset(p->B);
    cd_convex_result r        = {.n = d3_axis(0)};
    bool             doubtful = false, has_axis = false;
    const double     distance = cd_gjk(p, p->margin + radii, &r);
    if (distance > p->margin + radii) {
        remember(p, &r, false);
        return;
    }
    r.d = distance;
    if (!(distance > 0 && cd_convex_polish(p, &r))) overlap(p, &r, &doubtful, &has_axis);
    remember(p, &r, has_axis);
    if (doubtful)
        cd_pair_add(p, r.a, r.b, r.n, r.feature[0], r.feature[1], true);
    else
        cd_convex_add(p, &r);
}
