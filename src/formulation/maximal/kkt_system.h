// SPDX-License-Identifier: BSD-3-Clause
// The matrix of maximal coordinates, symbolically: its blocks, the order of elimination, and where every number of a
// body or of a constraint goes, so that assembling searches nothing.
#pragma once

#include "math/block_ldl/block_ldl.h"
#include "formulation/maximal/ordering/ordering.h"

// Velocities from .. to - 1 of a constraint, all of one body, and the block (constraint, body).
typedef struct cd_kkt_jacobian_block {
    int              begin, end, body, constraint;
    cd_block_address address;
    bool             is_first; // of its constraint, in the order of elimination
} cd_kkt_jacobian_block;

// Of a leaning constraint: the block of two of its bodies, that of the second in its column.
typedef struct cd_kkt_penalty_block {
    int              constraint;
    cd_block_address address;
    short            begin[2], end[2];   // velocities of each
    bool             is_first;           // of its constraint, in the order of elimination
    bool             is_diagonal;        // both are one body
    bool             has_all_velocities; // the constraint has all velocities of all its bodies
} cd_kkt_penalty_block;

typedef struct cd_kkt_system {
    cd_block_ldl           F;
    bool*                  has_constant_diagonal; // (nbody) its inertia is all that its diagonal block gets
    signed char*           sign;                  // (nblock) of the pivots: bodies +1, constraints -1
    int                    ordering;              // row of the table of orders
    int                    graph_depth;           // from body to body along the mechanism
    cd_block_cost          cost;
    int*                   jacobian_start; // (nconstraint + 1) runs of a constraint
    cd_kkt_jacobian_block* jacobian;
    int* column_jacobian_start;             // (nblock + 1) by order of elimination: runs whose block stands in a column
    cd_kkt_jacobian_block* column_jacobian; // the same runs, in that order
    bool
         jacobian_is_recoverable; // all blocks of constraints with bodies are still there in the factor (cd_block_is_recoverable)
    int* column_penalty_start; // (nblock + 1) by order of elimination: pairs of leaning bodies whose block stands there
    cd_kkt_penalty_block* column_penalty; // one triangle of them
} cd_kkt_system;

// leaning (nconstraint): constraints that couple their bodies directly; repeats: rows may repeat others. False without
// memory.
bool cd_kkt_analyse(cd_kkt_system* system, int nbody, const cd_rows* rows, const bool* is_penalized,
                    bool has_redundant_rows);
// Its order would lose digits if rows repeated others.
bool cd_kkt_needs_independent_rows(const cd_kkt_system* system);
// By scalars on the true nonzeros of the rows at hand, in an order of blocks: multiplications, and nonzeros of L below
// its diagonal.
typedef struct cd_kkt_scalar_cost {
    long multiplications, nonzeros;
} cd_kkt_scalar_cost;

// product (nbody): which products of inertia xy, xz, yz are not zero; NULL: none. leaning (nconstraint): as for
// cd_kkt_analyse; NULL: none. False without memory.
bool cd_kkt_count_scalar_cost(int nbody, const cd_rows* rows, const bool (*product)[3], const bool* is_penalized,
                              const int* order, cd_kkt_scalar_cost* counts);

void cd_kkt_layout(cd_kkt_system* system, int nbody, cd_arena* arena);
void cd_kkt_release(cd_kkt_system* system);
