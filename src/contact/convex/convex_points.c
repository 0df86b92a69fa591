// SPDX-License-Identifier: BSD-3-Clause
// Contact points of two convex cores from their nearest or deepest points: those of flat parts by clipping against the face
// whose normal is that of the contact; the ends of the overlap of parallel lines; else one point. Two parallel faces: the larger
// one is the reference, and that of B if they are equal.
#include "contact/contact_tolerances.h"
#include "contact/convex/convex.h"
#include "contact/convex/region.h"

static bool faces(const cd_region* r, d3 d, double slope)
{
    return cd_region_is_face(r) && d3_norm(d3_cross(r->flat.normal, d)) <= slope && d3_dot(r->flat.normal, d) > 0;
}

static void add_single(cd_pair* p, const cd_convex_result* r)
{
    cd_pair_add(p, r->a, r->b, r->n, r->feature[0], r->feature[1], false);
}

// A contact point has this point of A.
static bool is_known(const cd_pair* p, d3 a)
{
    const double offset = cd_shape_type_of(p->A)->offset(p->A);
    for (int i = 0; i < p->count; ++i) {
        const d3 core = d3_add_scaled(d3_of(p->point[i].a), offset, d3_of(p->point[i].normal));
        if (d3_norm(d3_sub(core, a)) <= cd_clip_accuracy * cd_pair_length(p)) return true;
    }
    return false;
}

// Ends of the segment X of one shape that are within the segment Y of the other one. x_is: 0 if X is of A.
static void add_ends(cd_pair* p, const cd_convex_result* r, const cd_region* X, const cd_region* Y, int x_is)
{
    const d3     along  = d3_sub(Y->flat.x[1], Y->flat.x[0]);
    const double square = d3_dot(along, along);
    for (int k = 0; k < 2; ++k) {
        const double t = d3_dot(d3_sub(X->flat.x[k], Y->flat.x[0]), along) / square;
        if (!(t >= -cd_clip_accuracy && t <= 1 + cd_clip_accuracy)) continue;
        cd_convex_result q    = *r;
        const d3         foot = d3_add_scaled(Y->flat.x[0], t, along);
        q.feature[x_is]       = X->flat.corner[k];
        q.feature[1 - x_is]   = Y->flat.side[0];
        q.a = x_is == 0 ? X->flat.x[k] : foot, q.b = x_is == 0 ? foot : X->flat.x[k];
        if (cd_common_normal(p, &q) && !is_known(p, q.a)) add_single(p, &q);
    }
}

// Parallel segments: the ends of their overlap, and the nearest points where they are defined.
static void add_segments(cd_pair* p, const cd_convex_result* r, const cd_region* A, const cd_region* B)
{
    const d3     u = d3_unit(d3_sub(A->flat.x[1], A->flat.x[0])), v = d3_unit(d3_sub(B->flat.x[1], B->flat.x[0]));
    const double angle = d3_norm(d3_cross(u, v));
    if (angle <= cd_flat_slope) {
        add_ends(p, r, A, B, 0);
        add_ends(p, r, B, A, 1);
    }
    if (p->count == 0 || (angle > cd_extreme_slope && !is_known(p, r->a))) add_single(p, r);
}

// The extreme point above a face, if all clipped points are higher: it is outside the side planes.
static void add_extreme(cd_pair* p, const cd_convex_result* r)
{
    const double gap = r->d - cd_shape_type_of(p->A)->offset(p->A) - cd_shape_type_of(p->B)->offset(p->B);
    for (int i = 0; i < p->count; ++i)
        if (p->point[i].gap <= gap + cd_clip_accuracy * cd_pair_length(p)) return;
    add_single(p, r);
}

// Clip the part of one shape that faces a face of the other one.
static void clip_against(cd_pair* p, bool by_A, const cd_region* reference, double apart)
{
    cd_region incident;
    const d3  n = by_A ? d3_neg(reference->flat.normal) : reference->flat.normal;
    if (by_A)
        cd_region_of(p->B, p->pose_B, n, cd_flat_slope, true, &incident);
    else
        cd_region_of(p->A, p->pose_A, d3_neg(n), cd_flat_slope, true, &incident);
    cd_clip_regions(p, reference, &incident, by_A, n, apart);
}

void cd_convex_add(cd_pair* p, const cd_convex_result* r)
{
    const d3  down = d3_neg(r->n);
    cd_region A, B;
    cd_region_of(p->A, p->pose_A, down, cd_flat_slope, false, &A);
    cd_region_of(p->B, p->pose_B, r->n, cd_flat_slope, false, &B);
    const bool by_A = faces(&A, down, cd_parallel_slope), by_B = faces(&B, r->n, cd_parallel_slope);
    if (by_A || by_B) {
        const bool larger = cd_region_area(&A) > cd_region_area(&B) * (1 + cd_axis_preference);
        const bool use_A  = by_A && (!by_B || (larger && !p->one_sided));
        clip_against(p, use_A, use_A ? &A : &B, 0);
        add_extreme(p, r);
        return;
    }
    if (A.kind == CD_REGION_SEGMENT && B.kind == CD_REGION_SEGMENT)
        add_segments(p, r, &A, &B);
    else
        add_single(p, r);
    const bool near_A = faces(&A, down, cd_flat_slope), near_B = faces(&B, r->n, cd_flat_slope);
    if (near_A || near_B) // nearly flat, with an extreme edge or corner
        clip_against(p, !near_B, near_B ? &B : &A,
                     4 * cd_flat_slope * (fabs(r->d) + cd_flat_slope * cd_pair_length(p)));
}
