// SPDX-License-Identifier: BSD-3-Clause
// Patterns of symmetric block matrices, the pattern their factor has in an order, and what factoring costs.
#pragma once

#include "core/memory.h"
#include "math/number.h"

#include <stdbool.h>

// Block sizes, and pairs of blocks that meet; a pair may be named twice. Blocks of size 0 meet nothing.
typedef struct cd_block_pattern {
    int        nblock;
    const int* size;
    int        nedge;
    const int (*edge)[2];
} cd_block_pattern;

// A list of such pairs that grows; the caller frees `list`. False without memory.
typedef struct cd_block_edge_list {
    int (*edge)[2];
    int count, capacity;
} cd_block_edge_list;

bool cd_block_add_edge(cd_block_edge_list* edges, int a, int b);

// Columns of L below the diagonal: positions start[k] .. start[k + 1] of `row`, ascending.
typedef struct cd_block_factor_pattern {
    int  n, capacity;
    int *start, *row;
    bool is_too_costly; // more pairs of blocks in its columns than allowed: they are not complete
} cd_block_factor_pattern;

// False if L needs more than `most` pairs of blocks in its columns (dear), or without memory. Release in any case.
bool cd_block_factor_pattern_compute(const cd_block_pattern* pattern, const int* order, double max_pairs,
                                     cd_block_factor_pattern* L);
void cd_block_factor_pattern_release(cd_block_factor_pattern* L);

// Work of factoring in an order. Multiplications that dense kernels execute, on all columns and on the longest way up
// the elimination tree, which is what any number of threads must do one after the other.
typedef struct cd_block_cost {
    double multiplications, critical_path;
} cd_block_cost;

// Infinite if more than `most` block pairs. False without memory.
bool cd_block_cost_compute(const cd_block_pattern* pattern, const int* order, double max_pairs, cd_block_cost* cost);

// The equivalent order in which every subtree of the elimination tree stands together, children before parents: same
// pattern, same operations, but what a column gathers from is near. False without memory.
bool cd_block_postorder(const cd_block_pattern* pattern, int* order);
