// SPDX-License-Identifier: BSD-3-Clause
// Block-sparse LDL' of a symmetric matrix without pivot search: symbolic phase once, numeric phase on static arrays.
// Blocks are small (1 to 6 rows). The order is the caller's and must be safe: with it every pivot exists or is truly null.
#pragma once

#include "core/memory.h"
#include "math/number.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CD_BLOCK_MOST = 6 };  // rows of a block

typedef struct cd_block_ldl {
    // symbolic
    int     nblock, nscalar;
    int*    size;      // (nblock) rows of a block
    int*    scalar;    // (nblock) its first row in vectors
    int*    order;     // (nblock) block eliminated k-th
    int*    position;  // (nblock) when a block is eliminated
    int*    start;     // (nblock + 1) column k of L: entries start[k] .. start[k + 1]
    int*    row;       // (entries) positions below k, ascending
    size_t* offset;    // (entries) of size(row) x size(k) numbers in value
    size_t* diagonal;  // (nblock) of size(k) x size(k) numbers in value, by position
    size_t* target;    // for every pair of entries of a column, where its product is subtracted
    size_t* pair;      // (nblock + 1) first target of column k
    size_t  nvalue;

    // numeric
    real*   value;
    double* taken;    // (nscalar) what was subtracted from each diagonal entry so far
    bool*   null;     // (nscalar) pivots that are null
    real*   scratch;  // 2 x 36
} cd_block_ldl;

// A pattern to choose an order for: block sizes and pairs of blocks that meet.
typedef struct cd_block_pattern {
    int         nblock;
    const int*  size;
    int         nedge;
    const int (*edge)[2];
} cd_block_pattern;

// Multiplications that factoring in this order executes, or -1 if it needs more than `most` block pairs, or without memory.
double cd_block_cost(const cd_block_pattern* pattern, const int* order, double most);

// Symbolic phase; allocates its own memory once. False without memory.
bool cd_block_analyse(cd_block_ldl* F, const cd_block_pattern* pattern, const int* order);
void cd_block_release(cd_block_ldl* F);

// Numeric memory.
void cd_block_layout(cd_block_ldl* F, cd_arena* arena);

// Where the numbers of block (a, b) stand, and whether they are those of its transpose. a = b: the diagonal (both triangles are written,
// the lower one is read).
real* cd_block_at(const cd_block_ldl* F, int a, int b, bool* transposed);
void  cd_block_clear(cd_block_ldl* F);

// Factor. `sign` (+1, -1) says which pivots a block has; a pivot of sign -1 may be null. Returns the scalar row of a
// pivot that is not what it should be, or -1.
int cd_block_factor(cd_block_ldl* F, const signed char* sign, double tolerance);

// Solve in place.
void cd_block_solve(const cd_block_ldl* F, real* x);
