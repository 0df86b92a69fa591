// SPDX-License-Identifier: BSD-3-Clause
// Static binary tree of axis-aligned boxes over triangles: split at the median of the centroids along the longest side of their
// box, at most four triangles in a leaf. Goldsmith & Salmon, Automatic creation of object hierarchies for ray tracing, 1987.
#pragma once

#include "contact/axis_box.h"

enum { CD_TREE_LEAF = 4, CD_TREE_DEPTH = 64 };

typedef struct cd_tree_node { // boxes of two children; child >= 0: a node, else a leaf with ~child = 8 start + count
    cd_box box[2];
    int    child[2];
} cd_tree_node;

typedef struct cd_triangle_tree {
    int           nnode, root; // root: as a child
    cd_tree_node* node;
    int*          triangle; // of leaves: start to start + count
} cd_triangle_tree;

// Number of nodes that suffices for n triangles.
static inline int cd_tree_nodes_max(int n) { return n > CD_TREE_LEAF ? n - 1 : 1; }

// Build the tree of n triangles with given boxes (n) into node (cd_tree_nodes_max) and triangle (n); key: work (n).
void cd_triangle_tree_build(cd_triangle_tree* tree, int n, const cd_box* box, double* key);

// Next triangle whose leaf overlaps the box; -1: no more. Start with a zeroed state and cd_tree_search_begin.
typedef struct cd_tree_search {
    const cd_triangle_tree* tree;
    cd_box                  box;
    int                     stack[CD_TREE_DEPTH], depth, leaf, end;
} cd_tree_search;
void cd_tree_search_begin(cd_tree_search* s, const cd_triangle_tree* tree, const cd_box* box);
int  cd_tree_search_next(cd_tree_search* s);
