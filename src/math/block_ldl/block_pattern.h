// SPDX-License-Identifier: BSD-3-Clause
// Patterns of symmetric block matrices, the pattern of their factor in an order, and the cost of the factorization.
#pragma once

#include "core/memory.h"
#include "math/number.h"

#include <stdbool.h>

// Block sizes, and pairs of coupled blocks; a pair may occur twice. Blocks of size 0 are not coupled.
typedef struct cd_block_pattern {
    int        nblock;
    const int* size;
    int        nedge;
    const int (*edge)[2];
} cd_block_pattern;

// Growing list of such pairs; the caller frees `edge`. Returns false if memory is exhausted.
typedef struct cd_block_edge_list {
    int (*edge)[2];
    int count, capacity;
} cd_block_edge_list;

bool cd_block_add_edge(cd_block_edge_list* edges, int a, int b);

// Columns of L below the diagonal: row[start[k]] .. row[start[k + 1] - 1], ascending positions.
typedef struct cd_block_factor_pattern {
    int  n, capacity;
    int *start, *row;
    bool is_too_costly; // more than max_pairs pairs of blocks in its columns: they are incomplete
} cd_block_factor_pattern;

// Compute the pattern of L. Returns false if L has more than `max_pairs` pairs of blocks in its columns
// (is_too_costly), or if memory is exhausted. Release it in any case.
bool cd_block_factor_pattern_compute(const cd_block_pattern* pattern, const int* order, double max_pairs,
                                     cd_block_factor_pattern* L);
void cd_block_factor_pattern_release(cd_block_factor_pattern* L);

// Cost of the factorization in an order: multiplications that dense kernels execute, in all columns and on the longest
// path of the elimination tree, which any number of threads must execute sequentially.
typedef struct cd_block_cost {
    double multiplications, critical_path;
} cd_block_cost;

// Compute the cost; infinite with more than `max_pairs` block pairs. Returns false if memory is exhausted.
bool cd_block_cost_compute(const cd_block_pattern* pattern, const int* order, double max_pairs, cd_block_cost* cost);

// Replace the order by the equivalent postorder, in which every subtree of the elimination tree is contiguous, children
// before parents: the same pattern and operations, but the descendants of a column are near in memory. Returns false
// if memory is exhausted.
bool cd_block_postorder(const cd_block_pattern* pattern, int* order);
