// SPDX-License-Identifier: BSD-3-Clause
// Contact points of two convex cores from their nearest or deepest points: those of flat parts by clipping against the face
// whose normal is that of the contact; the ends of the overlap of parallel lines; else one point. Two parallel faces: the larger
// one is the reference, and that of B if they are equal.
#include "contact/contact_tolerances.h"
#include "contact/convex/convex.h"
#include "contact/convex/region.h"
#include "contact/shape/polyhedron.h"

static bool faces(const cd_region* r, d3 d, double slope)
{
    return cd_region_is_face(r) && d3_norm(d3_cross(r->flat.normal, d)) <= slope && d3_dot(r->flat.normal, d) > 0;
}

static void add_single(cd_pair* p, const cd_convex_result* r)
{
    cd_pair_add(p, r->a, r->b, r->n, r->feature[0], r->feature[1], false);
}

// Line of an edge of a polyhedron or of a lying cylinder: features of its ends.
typedef struct line {
    d3       end[2];
    uint32_t corner[2];
} line;

static bool line_of(const cd_shape_geometry* g, const cd_shape_pose* pose, uint32_t feature, line* l)
{
    cd_core_feature f;
    cd_shape_type_of(g)->feature(g, feature, &f);
    if (f.kind != CD_CORE_LINE) return false;
    cd_polyhedron_storage storage;
    cd_polyhedron         q;
    const int             edge = cd_feature_index(feature);
    const bool            flat = cd_polyhedron_of(g, &storage, &q);
    for (int k = 0; k < 2; ++k) {
        const d3 x   = flat ? q.vertex[q.edge[edge].vertex[k]]
                            : d3_add_scaled(f.origin, k ? f.half_length : -f.half_length, f.axis);
        l->end[k]    = cd_to_world(pose, x);
        l->corner[k] = flat ? cd_feature(CD_FEATURE_VERTEX, q.edge[edge].vertex[k]) : cd_feature(CD_FEATURE_CIRCLE, k);
    }
    return true;
}

// Ends of one line that are within the other one.
static void add_ends(cd_pair* p, const cd_convex_result* r, const line* X, const line* Y, int x_is)
{
    const d3     along  = d3_sub(Y->end[1], Y->end[0]);
    const double square = d3_dot(along, along);
    for (int k = 0; k < 2; ++k) {
        const double t = d3_dot(d3_sub(X->end[k], Y->end[0]), along) / square;
        if (!(t >= -cd_clip_accuracy && t <= 1 + cd_clip_accuracy)) continue;
        cd_convex_result q    = *r;
        const d3         foot = d3_add_scaled(Y->end[0], t, along);
        q.feature[x_is]       = X->corner[k];
        q.a = x_is == 0 ? X->end[k] : foot, q.b = x_is == 0 ? foot : X->end[k];
        if (!cd_common_normal(p, &q)) continue;
        bool known = false;
        for (int i = 0; i < p->count; ++i) {
            const d3 u = d3_sub(d3_of(p->point[i].a), d3_add_scaled(q.a, -cd_shape_type_of(p->A)->offset(p->A), q.n));
            known |= d3_norm(u) <= cd_clip_accuracy * cd_pair_length(p);
        }
        if (!known) add_single(p, &q);
    }
}

// The extreme point above a face, if all clipped points are higher: it is outside the side planes.
static void add_extreme(cd_pair* p, const cd_convex_result* r)
{
    const double gap = r->d - cd_shape_type_of(p->A)->offset(p->A) - cd_shape_type_of(p->B)->offset(p->B);
    for (int i = 0; i < p->count; ++i)
        if (p->point[i].gap <= gap + cd_clip_accuracy * cd_pair_length(p)) return;
    add_single(p, r);
}

// Parallel lines; false: the features are others.
static bool add_lines(cd_pair* p, const cd_convex_result* r)
{
    line A, B;
    if (!line_of(p->A, p->pose_A, r->feature[0], &A) || !line_of(p->B, p->pose_B, r->feature[1], &B)) return false;
    const d3     u = d3_unit(d3_sub(A.end[1], A.end[0])), v = d3_unit(d3_sub(B.end[1], B.end[0]));
    const double angle = d3_norm(d3_cross(u, v));
    if (!(angle <= cd_flat_slope)) return false;
    if (angle > cd_extreme_slope) add_single(p, r);
    add_ends(p, r, &A, &B, 0);
    add_ends(p, r, &B, &A, 1);
    return true;
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
    if (!add_lines(p, r)) add_single(p, r);
    const bool near_A = faces(&A, down, cd_flat_slope), near_B = faces(&B, r->n, cd_flat_slope);
    if (near_A || near_B) // nearly flat, with an extreme edge or corner
        clip_against(p, !near_B, near_B ? &B : &A,
                     4 * cd_flat_slope * (fabs(r->d) + cd_flat_slope * cd_pair_length(p)));
}
