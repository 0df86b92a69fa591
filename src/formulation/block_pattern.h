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
typedef struct cd_block_edges {
    int (*list)[2];
    int count, capacity;
} cd_block_edges;

bool cd_block_meet(cd_block_edges* edges, int a, int b);

// Columns of L below the diagonal: positions start[k] .. start[k + 1] of `row`, ascending.
typedef struct cd_block_columns {
    int  n, capacity;
    int *start, *row;
    bool dear; // more pairs of blocks in its columns than allowed: they are not complete
} cd_block_columns;

// False if L needs more than `most` pairs of blocks in its columns (dear), or without memory. Release in any case.
bool cd_block_columns_of(const cd_block_pattern* pattern, const int* order, double most, cd_block_columns* L);
void cd_block_columns_release(cd_block_columns* L);

// Work of factoring in an order. Multiplications that dense kernels execute, on all columns and on the longest way up
// the elimination tree, which is what any number of threads must do one after the other.
typedef struct cd_block_cost {
    double multiplications, critical;
} cd_block_cost;

// Infinite if more than `most` block pairs. False without memory.
bool cd_block_cost_of(const cd_block_pattern* pattern, const int* order, double most, cd_block_cost* cost);

// The equivalent order in which every subtree of the elimination tree stands together, children before parents: same
// pattern, same operations, but what a column gathers from is near. False without memory.
bool cd_block_postorder(const cd_block_pattern* pattern, int* order);
