// SPDX-License-Identifier: BSD-3-Clause
// From the graph of bodies and joints to a tree: welded bodies become groups, loops are cut, what floats gets a free
// joint.
#pragma once

#include "core/memory.h"
#include "expression/ledger.h"

#include <cardan/model.h>

// Group 0 is ground and what is welded to it.
typedef struct cd_tree {
    int          ngroup, nadded, ncut;
    bool         flat;   // every group hangs on ground
    int*         group;  // (nbody) group of a body
    cardan_pose* pose;   // (nbody) body frame in the frame of its group
    int*         parent; // (ngroup) -1 for ground
    int*         via;    // (ngroup) joint it hangs on; njoint + k: the k-th free joint that was added
    int*         order;  // (ngroup) parents before children, subtrees together
    int*         added;  // (nadded) body that floats, one per free joint added
    int*         cut;    // (ncut) joints that close loops
    cd_arena     arena;
} cd_tree;

// The ledger is that of the description, mostly NULL.
cardan_status cd_tree_create(const cardan_view* view, cd_ledger* ledger, cardan_tree_policy policy, cd_tree* tree,
                             cardan_report* report);
void          cd_tree_destroy(cd_tree* tree);
