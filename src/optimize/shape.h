// SPDX-License-Identifier: BSD-3-Clause
// Shapes: what blocks of a kind have in common that stand at other places of the chain. Unknowns of a block are
// numbered by themselves; with the inputs y = s + S x of the kind over them
//
//   dg/dx = (dg/dy) S        d2L/dx2 = S' (d2L/dy2) S
//
// are for every entry of the left side the same sums of entries of the derivatives of the kind with the same weights in
// all blocks of a shape. So they are found once, and worked out for many blocks side by side.
#pragma once

#include "optimize/binding.h"
#include "optimize/kind.h"

#include <stdint.h>

// results = sums of weights times entries; which result each is stands in `pair`.
typedef struct cd_spread {
    int       n;
    cd_entry* pair;  // (n) row or unknown, and unknown
    int*      first; // (n + 1) into `term`
    cd_term*  term;  // `unknown` is the number of an entry, `coefficient` its weight
} cd_spread;

typedef struct cd_shape {
    const cd_kind* kind;
    int            index; // in the program
    uint64_t       hash;
    int            nunknown;
    int*           first;                  // (nvariable + 1) into `term`
    cd_term*       term;                   // of the inputs, over unknowns of the block
    cd_spread jacobian, gradient, hessian; // rows and unknowns; unknowns, all of them; pairs of unknowns, each once
} cd_shape;

// Those of a program.
typedef struct cd_shapes {
    cd_shape** shape; // owned
    int        count, capacity;
    int*       table; // (room) by hash: 1 + number, 0: free
    int        room;
    int*       local; // (unknowns of the program) 1 + number in the block at hand, 0: not in it
} cd_shapes;

bool cd_shapes_begin(cd_shapes* all, int nunknown);
void cd_shapes_release(cd_shapes* all);
// The shape of a kind at a place, found or made; *unknown gets the unknowns of the block, to be freed. NULL without
// memory.
const cd_shape* cd_shape_of(cd_shapes* all, const cd_kind* kind, const cd_binding* binding, int** unknown);
