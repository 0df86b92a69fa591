// SPDX-License-Identifier: BSD-3-Clause
// Block shapes: the common structure of blocks of a function at different points. The unknowns of a block are numbered
// locally; with the inputs y = s + S x of the function,
//
//   dg/dx = (dg/dy) S        d2L/dx2 = S' (d2L/dy2) S
//
// each entry of the left side is the same sum of weighted entries of the derivatives of the function in all blocks of a
// shape. The sums are determined once and evaluated for many blocks at a time.
#pragma once

#include "optimize/nlp/input_binding.h"
#include "optimize/nlp/block_function.h"

#include <stdint.h>

// results = sums of weights times entries; `pair` gives row and column of each result.
typedef struct cd_entry_combination {
    int              n;
    cd_sparse_entry* pair;  // (n) row or unknown, and unknown
    int*             first; // (n + 1) into `term`
    cd_term*         term;  // `unknown` is the index of an entry, `coefficient` its weight
} cd_entry_combination;

typedef struct cd_block_shape {
    const cd_block_function* function;
    int                      index; // index in the NLP
    uint64_t                 hash;
    int                      nunknown;
    int*                     first; // (nvariable + 1) into `term`
    cd_term*                 term;  // terms of the inputs, over unknowns of the block
    cd_entry_combination     jacobian, gradient,
        hessian; // rows and unknowns; all unknowns; pairs of unknowns, each once
} cd_block_shape;

// All shapes of an NLP.
typedef struct cd_block_shapes {
    cd_block_shape** shape; // owned
    int              count, capacity;
    int*             table; // (table_size) hash table: 1 + index, 0: free
    int              table_size;
    int*             local_index; // (unknowns of the NLP) 1 + local index in the current block, 0: not in it
} cd_block_shapes;

bool cd_block_shapes_init(cd_block_shapes* all, int nunknown);
void cd_block_shapes_release(cd_block_shapes* all);
// Find or create the shape of a function with a binding; *unknown gets the unknowns of the block, freed by the caller.
// Returns NULL without memory.
const cd_block_shape* cd_block_shape_find_or_add(cd_block_shapes* all, const cd_block_function* function,
                                                 const cd_binding* binding, int** unknown);
