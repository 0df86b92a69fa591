// SPDX-License-Identifier: BSD-3-Clause
// Nearest or deepest points of two convex cores A and B, in the axes of the pair. The separation of the cores along a unit vector
// n from B to A is
//
//   s(n) = min over A of n.x - max over B of n.x
//
// and the signed distance is its maximum over all n.
#pragma once

#include "contact/contact_pair.h"

typedef struct cd_convex_result {
    d3       n, a, b; // unit normal from B to A, points of the cores with a - b = d n
    double   d;       // signed distance of the cores
    uint32_t feature[2];
} cd_convex_result;

// Extreme point of a core in the direction d of the pair, d not zero.
static inline d3 cd_core_support(const cd_shape_geometry* g, const cd_shape_pose* pose, d3 d, uint32_t* feature)
{
    return cd_to_world(pose, cd_shape_type_of(g)->support(g, d3_rotate_back(pose->R, d), feature));
}
// s(n)
static inline double cd_separation(const cd_pair* p, d3 n)
{
    uint32_t unused;
    return d3_dot(
        n, d3_sub(cd_core_support(p->A, p->pose_A, d3_neg(n), &unused), cd_core_support(p->B, p->pose_B, n, &unused)));
}
// Point of A - B that is extreme in the direction d: points of A and B.
static inline d3 cd_difference_support(const cd_pair* p, d3 d, d3* a, d3* b)
{
    uint32_t unused;
    *a = cd_core_support(p->A, p->pose_A, d, &unused);
    *b = cd_core_support(p->B, p->pose_B, d3_neg(d), &unused);
    return d3_sub(*a, *b);
}
double cd_pair_length(const cd_pair* p);   // size of the smaller shape
double cd_pair_accuracy(const cd_pair* p); // error of nearest points that is accepted
double cd_pair_touch(const cd_pair* p);    // distance whose direction has no digits left

// Distance of the cores, with approximate n, a, b; 0 if they overlap or are closer than round-off (n is not set). Stops early, with
// a lower bound, if the distance is larger than `enough`.
double cd_gjk(const cd_pair* p, double enough, cd_convex_result* r);
// Approximate direction of the least overlap of two cores. False: not found.
bool cd_expanding_polytope(const cd_pair* p, cd_convex_result* r);
// Exact nearest points and features from approximate ones. False: no pair of features has them.
bool cd_convex_polish(const cd_pair* p, cd_convex_result* r);
// a and b are on the cores, and n.(a - b) = s(n).
bool cd_convex_is_proved(const cd_pair* p, const cd_convex_result* r);
// Separating axis of two polyhedra: n, d and features exactly; points of two edges.
bool cd_separating_axis(const cd_pair* p, cd_convex_result* r);
// Add the contact points of a result: those of flat parts by clipping, else one.
void cd_convex_add(cd_pair* p, const cd_convex_result* r);
// Newton's method for the common normal of the two features of r, from its normal. False: does not converge.
bool cd_common_normal(const cd_pair* p, cd_convex_result* r);
