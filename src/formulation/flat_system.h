// SPDX-License-Identifier: BSD-3-Clause
// The matrix of maximal coordinates, symbolically: its blocks, the order of elimination, and where every number of a
// body or of a constraint goes, so that assembling searches nothing.
#pragma once

#include "formulation/block_ldl.h"
#include "formulation/flat_order.h"

// Velocities from .. to - 1 of a constraint, all of one body, and the block (constraint, body).
typedef struct cd_flat_run {
    int            from, to, body, constraint;
    cd_block_place place;
    bool           first; // of its constraint, in the order of elimination
} cd_flat_run;

// Of a leaning constraint: the block of two of its bodies, that of the second in its column.
typedef struct cd_flat_lean {
    int            constraint;
    cd_block_place place;
    short          from[2], to[2]; // velocities of each
    bool           first;          // of its constraint, in the order of elimination
    bool           own;            // both are one body
    bool           whole;          // the constraint has all velocities of all its bodies
} cd_flat_lean;

typedef struct cd_flat_system {
    cd_block_ldl  F;
    bool*         lasting; // (nbody) its inertia is all that its diagonal block gets
    signed char*  sign;    // (nblock) of the pivots: bodies +1, constraints -1
    int           order;   // row of the table of orders
    int           steps;   // from body to body along the mechanism
    cd_block_cost cost;
    int*          first; // (nconstraint + 1) runs of a constraint
    cd_flat_run*  run;
    int*          first_edge; // (nblock + 1) by order of elimination: runs whose block stands in a column
    cd_flat_run*  edge;       // the same runs, in that order
    bool          kept;       // all blocks of constraints with bodies are still there in the factor (cd_block_is_kept)
    int*          first_lean; // (nblock + 1) by order of elimination: pairs of leaning bodies whose block stands there
    cd_flat_lean* lean;       // one triangle of them
} cd_flat_system;

// leaning (nconstraint): constraints that couple their bodies directly; repeats: rows may repeat others. False without
// memory.
bool cd_flat_analyse(cd_flat_system* system, int nbody, const cd_rows* rows, const bool* leaning, bool repeats);
// Its order would lose digits if rows repeated others.
bool cd_flat_wants_independence(const cd_flat_system* system);
// By scalars on the true nonzeros of the rows at hand, in an order of blocks: multiplications, and nonzeros of L below
// its diagonal.
typedef struct cd_flat_counts {
    long multiplications, nonzeros;
} cd_flat_counts;

// product (nbody): which products of inertia xy, xz, yz are not zero; NULL: none. leaning (nconstraint): as for
// cd_flat_analyse; NULL: none. False without memory.
bool cd_flat_count(int nbody, const cd_rows* rows, const bool (*product)[3], const bool* leaning, const int* order,
                   cd_flat_counts* counts);

void cd_flat_layout(cd_flat_system* system, int nbody, cd_arena* arena);
void cd_flat_release(cd_flat_system* system);
