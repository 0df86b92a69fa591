// SPDX-License-Identifier: BSD-3-Clause
// Dynamic binary tree of axis-aligned boxes: leaves are inserted where the surface of the boxes above grows least, and
// rotations on the way up reduce it. Catto, Dynamic bounding volume hierarchies, Game Developers Conference 2019;
// Kopta et al., Fast, effective BVH updates for animated scenes, 2012. The memory for a stated number of leaves is
// assigned once.
#pragma once

#include "contact/axis_box.h"
#include "core/memory.h"

typedef struct cd_dynamic_node {
    cd_box box;
    int    parent; // -1: root; of a free node: the next free one
    int    child[2];
    int    leaf; // >= 0: number of the leaf, else an inner node
} cd_dynamic_node;

typedef struct cd_dynamic_tree {
    int              root, free, capacity; // -1: none
    cd_dynamic_node* node;
    int*             node_of; // of a leaf; -1: not in the tree
    int*             stack;   // for searches
} cd_dynamic_tree;

// Assign memory for leaves 0 to leaves - 1; cd_dynamic_tree_clear makes the tree empty.
void cd_dynamic_tree_layout(cd_dynamic_tree* tree, cd_arena* arena, int leaves);
void cd_dynamic_tree_clear(cd_dynamic_tree* tree, int leaves);
void cd_dynamic_tree_insert(cd_dynamic_tree* tree, int leaf, const cd_box* box); // a leaf that is not in the tree
void cd_dynamic_tree_remove(cd_dynamic_tree* tree, int leaf);

// Call `found` for every leaf whose box overlaps.
typedef void cd_leaf_found(void* context, int leaf);
void cd_dynamic_tree_search(const cd_dynamic_tree* tree, const cd_box* box, cd_leaf_found* found, void* context);

// Call `hit` for leaves whose boxes contain points of the ray x = o + t d, 0 <= t <= limit. It returns the limit for the rest.
typedef double cd_leaf_hit(void* context, int leaf, double limit);
void cd_dynamic_tree_cast(const cd_dynamic_tree* tree, d3 origin, d3 direction, double limit, cd_leaf_hit* hit,
                          void* context);
