// SPDX-License-Identifier: BSD-3-Clause
// Interface of the functions of pairs.def: two shapes A and B with poses relative to the origin of B, and the contact points
// that the function adds.
#pragma once

#include "contact/shape/shape.h"

typedef struct cd_pair {
    const cd_shape_geometry *A, *B;
    const cd_shape_pose *    pose_A, *pose_B;
    double                   margin;
    cd_pair_cache*           cache; // never NULL; axes and features in the order of A and B here
    cd_contact_point*        point;
    int                      capacity, count;
    bool                     one_sided; // normals n with n.front < 0 are not searched; faces of B are preferred
    d3                       front;
} cd_pair;

typedef void (*cd_pair_function)(cd_pair* pair);
#define CD_CONTACT_PAIR(A, B, function) void cd_pair_##function(cd_pair* pair);
#include "contact/pairs.def"
#undef CD_CONTACT_PAIR

// Add a contact point of the cores: a on A, b on B, normal n from B to A. The radii of A and B are added; points with
// gap >= margin are not. If there are more points than the capacity, those with the smallest gaps are kept.
void cd_pair_add(cd_pair* pair, d3 a, d3 b, d3 n, uint32_t feature_a, uint32_t feature_b, bool doubtful);

// Normals that the search for the least overlap may return.
static inline bool cd_is_on_front(const cd_pair* pair, d3 n)
{
    return !pair->one_sided || d3_dot(n, pair->front) >= -1e-12;
}

static inline d3 cd_to_world(const cd_shape_pose* pose, d3 x) { return d3_add(d3_rotate(pose->R, x), d3_of(pose->p)); }
static inline d3 cd_to_shape(const cd_shape_pose* pose, d3 x)
{
    return d3_rotate_back(pose->R, d3_sub(x, d3_of(pose->p)));
}
