// SPDX-License-Identifier: BSD-3-Clause
// Spanning tree of the graph of bodies and joints: welded bodies become groups, loops are cut, floating groups get a
// free joint.
#pragma once

#include "core/memory.h"
#include "expression/parametric_values.h"

#include <cardan/model.h>

// Group 0 is ground with all bodies welded to it.
typedef struct cd_spanning_tree {
    int          ngroup, nfloating, ncut;
    bool         is_maximal;   // the parent of every group is ground
    int*         group;        // (nbody) group of a body
    cardan_pose* pose;         // (nbody) body frame in the frame of its group
    int*         parent;       // (ngroup) -1 for ground
    int*         parent_joint; // (ngroup) joint to the parent; njoint + k: the k-th added free joint
    int*         order;        // (ngroup) parents before children, subtrees together
    int*         floating;     // (nfloating) floating body of each added free joint
    int*         cut;          // (ncut) joints that close loops
    cd_arena     arena;
} cd_spanning_tree;

// `parametric` is that of the description, usually NULL.
cardan_status cd_spanning_tree_create(const cardan_description_view* view, cd_parametric* parametric,
                                      cardan_tree_policy policy, cd_spanning_tree* tree, cardan_report* report);
void          cd_spanning_tree_destroy(cd_spanning_tree* tree);
