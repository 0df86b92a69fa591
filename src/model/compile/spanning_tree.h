// SPDX-License-Identifier: BSD-3-Clause
// From the graph of bodies and joints to a tree: welded bodies become groups, loops are cut, what floats gets a free
// joint.
#pragma once

#include "core/memory.h"
#include "expression/parametric_values.h"

#include <cardan/model.h>

// Group 0 is ground and what is welded to it.
typedef struct cd_spanning_tree {
    int          ngroup, nfloating, ncut;
    bool         is_maximal;   // every group hangs on ground
    int*         group;        // (nbody) group of a body
    cardan_pose* pose;         // (nbody) body frame in the frame of its group
    int*         parent;       // (ngroup) -1 for ground
    int*         parent_joint; // (ngroup) joint it hangs on; njoint + k: the k-th free joint that was added
    int*         order;        // (ngroup) parents before children, subtrees together
    int*         floating;     // (nadded) body that floats, one per free joint added
    int*         cut;          // (ncut) joints that close loops
    cd_arena     arena;
} cd_spanning_tree;

// The ledger is that of the description, mostly NULL.
cardan_status cd_spanning_tree_create(const cardan_view* view, cd_parametric* parametric, cardan_tree_policy policy,
                                      cd_spanning_tree* tree, cardan_report* report);
void          cd_spanning_tree_destroy(cd_spanning_tree* tree);
