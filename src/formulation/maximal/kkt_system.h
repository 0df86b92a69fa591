// SPDX-License-Identifier: BSD-3-Clause
// KKT matrix of maximal coordinates, symbolic: its blocks, the elimination order, and the address of every number of a
// body or a constraint, so that the assembly does not search.
#pragma once

#include "math/block_ldl/block_ldl.h"
#include "formulation/maximal/ordering/ordering.h"

// Velocities begin .. end - 1 of a constraint, all of one body, and the block (constraint, body).
typedef struct cd_kkt_jacobian_block {
    int              begin, end, body, constraint;
    cd_block_address address;
    bool             is_first; // of its constraint, in elimination order
} cd_kkt_jacobian_block;

// Block of two bodies of a penalized constraint, in the column of the second.
typedef struct cd_kkt_penalty_block {
    int              constraint;
    cd_block_address address;
    short            begin[2], end[2];   // velocities of each
    bool             is_first;           // of its constraint, in elimination order
    bool             is_diagonal;        // both are the same body
    bool             has_all_velocities; // the constraint has all velocities of all its bodies
} cd_kkt_penalty_block;

typedef struct cd_kkt_system {
    cd_block_ldl           F;
    bool*                  has_constant_diagonal; // (nbody) its diagonal block contains only its inertia
    signed char*           sign;                  // (nblock) of the pivots: bodies +1, constraints -1
    int                    ordering;              // index in the table of orderings
    int                    graph_depth;           // largest breadth-first distance of a body from ground
    cd_block_cost          cost;
    int*                   jacobian_start; // (nconstraint + 1) Jacobian blocks of a constraint
    cd_kkt_jacobian_block* jacobian;
    int*                   column_jacobian_start; // (nblock + 1) Jacobian blocks in each column, by elimination order
    cd_kkt_jacobian_block* column_jacobian;       // the same blocks in that order
    bool jacobian_is_recoverable; // all Jacobian blocks can be recovered from the factor (cd_block_is_recoverable)
    int* column_penalty_start;    // (nblock + 1) penalty blocks in each column, by elimination order
    cd_kkt_penalty_block* column_penalty; // one triangle of them
} cd_kkt_system;

// Analyse the system. is_penalized (nconstraint): constraints that couple their bodies directly; has_redundant_rows:
// rows may be redundant. Returns false if memory is exhausted.
bool cd_kkt_analyse(cd_kkt_system* system, int nbody, const cd_rows* rows, const bool* is_penalized,
                    bool has_redundant_rows);
// Return whether the order would lose digits with redundant rows.
bool cd_kkt_needs_independent_rows(const cd_kkt_system* system);
// Cost of a scalar factorization on the true nonzeros of the current rows, in an order of blocks: multiplications, and
// nonzeros of L below its diagonal.
typedef struct cd_kkt_scalar_cost {
    long multiplications, nonzeros;
} cd_kkt_scalar_cost;

// Count that cost. product (nbody): which products of inertia xy, xz, yz are nonzero; NULL: none. is_penalized
// (nconstraint): as for cd_kkt_analyse; NULL: none. Returns false if memory is exhausted.
bool cd_kkt_count_scalar_cost(int nbody, const cd_rows* rows, const bool (*product)[3], const bool* is_penalized,
                              const int* order, cd_kkt_scalar_cost* counts);

void cd_kkt_layout(cd_kkt_system* system, int nbody, cd_arena* arena);
void cd_kkt_release(cd_kkt_system* system);
