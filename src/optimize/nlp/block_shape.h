// SPDX-License-Identifier: BSD-3-Clause
// Shapes: what blocks of a kind have in common that stand at other places of the chain. Unknowns of a block are
// numbered by themselves; with the inputs y = s + S x of the kind over them
//
//   dg/dx = (dg/dy) S        d2L/dx2 = S' (d2L/dy2) S
//
// are for every entry of the left side the same sums of entries of the derivatives of the kind with the same weights in
// all blocks of a shape. So they are found once, and worked out for many blocks side by side.
#pragma once

#include "optimize/nlp/input_binding.h"
#include "optimize/nlp/block_function.h"

#include <stdint.h>

// results = sums of weights times entries; which result each is stands in `pair`.
typedef struct cd_entry_combination {
    int              n;
    cd_sparse_entry* pair;  // (n) row or unknown, and unknown
    int*             first; // (n + 1) into `term`
    cd_term*         term;  // `unknown` is the number of an entry, `coefficient` its weight
} cd_entry_combination;

typedef struct cd_block_shape {
    const cd_block_function* function;
    int                      index; // in the program
    uint64_t                 hash;
    int                      nunknown;
    int*                     first; // (nvariable + 1) into `term`
    cd_term*                 term;  // of the inputs, over unknowns of the block
    cd_entry_combination     jacobian, gradient,
        hessian; // rows and unknowns; unknowns, all of them; pairs of unknowns, each once
} cd_block_shape;

// Those of a program.
typedef struct cd_block_shapes {
    cd_block_shape** shape; // owned
    int              count, capacity;
    int*             table; // (room) by hash: 1 + number, 0: free
    int              table_size;
    int*             local_index; // (unknowns of the program) 1 + number in the block at hand, 0: not in it
} cd_block_shapes;

bool cd_block_shapes_init(cd_block_shapes* all, int nunknown);
void cd_block_shapes_release(cd_block_shapes* all);
// The shape of a kind at a place, found or made; *unknown gets the unknowns of the block, to be freed. NULL without
// memory.
const cd_block_shape* cd_block_shape_find_or_add(cd_block_shapes* all, const cd_block_function* function,
                                                 const cd_binding* binding, int** unknown);
