// SPDX-License-Identifier: BSD-3-Clause
// Tree of the described bodies: every body is connected with its parent by a joint, welds included. Reactions are
// summed along this tree, because links of the model combine welded bodies.
#pragma once

#include "core/memory.h"
#include "model/model.h"

typedef struct cd_body_tree {
    int*  body_of_link;         // (nlink) a body on the link, or CARDAN_NONE
    int*  parent;               // (nbody) parent body, or CARDAN_GROUND
    int*  joint;                // (nbody) joint to the parent; CARDAN_NONE: floating
    int*  order;                // (nbody) parents before children
    bool* visited;              // (nbody)
    int * first_end, *next_end; // (nbody + 1), (2 njoint) linked lists of joint ends at each body; [0] is ground
} cd_body_tree;

// Called twice, to measure and to assign.
void cd_body_tree_layout(const cardan_model* m, cd_arena* arena, cd_body_tree* tree);
