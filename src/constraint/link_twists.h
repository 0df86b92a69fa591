// SPDX-License-Identifier: BSD-3-Clause
// J x and J'lambda by the twists of links, in one sweep over the tree each; joint-space rows are not needed.
#pragma once

#include "constraint/constraint_rows.h"
#include "kinematics/world_motion.h"

// Compute the twists of links, in world axes at their origins, for velocities x (nv); [-1] is ground, with zero twist.
void cd_link_twists(const cardan_model* m, const cd_kinematics* k, const cd_world_motion* world, const real* x,
                    spatial* twist);
// Product of one row of a block with link twists.
static inline real cd_row_dot_twists(const cd_row_block* b, int row, const spatial* twist)
{
    real sum = r_const(0);
    for (int n = 0; n < b->nend; ++n) sum = r_add(sum, sv_dot(b->G[row * b->nend + n], twist[b->link[n]]));
    return sum;
}
// Add the wrenches G'lambda of one block to those of the links, [-1] ground.
static inline void cd_row_block_add_wrenches(const cd_row_block* b, const real* lambda, spatial* wrench)
{
    for (int row = 0; row < b->nrow; ++row)
        for (int n = 0; n < b->nend; ++n)
            wrench[b->link[n]] = sv_add_scaled(wrench[b->link[n]], lambda[row], b->G[row * b->nend + n]);
}
// x (nv) += efforts of link wrenches along all velocities; overwrites `wrench`.
void cd_efforts_of_wrenches(const cardan_model* m, const cd_kinematics* k, const cd_world_motion* world,
                            spatial* wrench, real* x);
