// SPDX-License-Identifier: BSD-3-Clause
// The tree of the described bodies: every body hangs on the joint that holds it, welds included. Reactions are summed
// along it, since the links of the model know welded bodies as one.
#pragma once

#include "core/memory.h"
#include "model/model.h"

typedef struct cd_body_tree {
    int*  body_of_link;         // (nlink) a body on the link, or CARDAN_NONE
    int*  parent;               // (nbody) body it hangs on, or CARDAN_GROUND
    int*  joint;                // (nbody) joint it hangs on; CARDAN_NONE: on none, it floats
    int*  order;                // (nbody) parents before children
    bool* visited;              // (nbody)
    int * first_end, *next_end; // (nbody + 1), (2 njoint) joint ends at each body, as lists; [0] is ground
} cd_body_tree;

// Runs twice, to measure and to assign.
void cd_body_tree_layout(const cardan_model* m, cd_arena* arena, cd_body_tree* tree);
