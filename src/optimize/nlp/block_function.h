// SPDX-License-Identifier: BSD-3-Clause
// Kinds: functions of one instant of the mechanism with exact first and second derivatives.
#pragma once

#include "generate/compiled/compiled_functions.h"

// Entries of the derivatives of a kind: row and variable of the Jacobian, pairs of variables of the Hessian.
typedef struct cd_sparse_entry {
    int row, column;
} cd_sparse_entry;

// Functions of a kind: rows, then the objective where it has one; entries of the Jacobian, then of the gradient;
// entries of the Hessian of sigma f + lambda'g.
typedef enum cd_derivative_order {
    CD_ORDER_VALUE,
    CD_ORDER_JACOBIAN,
    CD_ORDER_HESSIAN,
    CD_ORDER_COUNT
} cd_derivative_order;

typedef struct cd_block_evaluator {
    int               count;
    cd_node*          node;       // (count)
    long              operations; // operations, about
    cd_tape*          tape;
    cd_batch_function batch; // compiled, or NULL
} cd_block_evaluator;

typedef struct cd_block_function {
    const char*        name;
    int                index;      // in the chain
    int                group_size; // blocks that are evaluated at once: 1 on tapes
    int                nvariable, nparameter, nrow, njacobian, ngradient, nhessian;
    int*               variable;  // (nvariable) inputs of the graph that are unknowns; ascending
    int*               parameter; // (nsetting) other inputs that it reads
    cd_sparse_entry*   jacobian;  // rows, columns: places in `variable`
    int*               gradient;  // (ngradient) places in `variable`, of the objective
    cd_sparse_entry*   hessian;   // lower triangle over `variable`
    cd_block_evaluator evaluator[CD_ORDER_COUNT];
} cd_block_function;

// Inputs beside those of the stage: multipliers of the rows and of the objective, which curves take.
typedef struct cd_multiplier_count {
    int sigma, lambda; // first; as many as the kind with most rows has
} cd_multiplier_count;

// Accelerations z as inputs of functions, with what they are and the inverse dynamics that defines them: F(y, z) = 0.
typedef struct cd_implicit {
    int            n, z, w;   // how many; first inputs, and inputs that nothing else uses
    const cd_node *value, *F; // (n)
    const cd_node* M;         // (n x n) dF/dz, symmetric, without z
} cd_implicit;

// `row` (nrow) and `objective` (or CD_NO_NODE) are nodes; inputs flagged in `unknown` (ninput) are differentiated.
cd_block_function* cd_block_function_create(cd_graph* graph, const char* name, int nrow, const cd_node* row,
                                            cd_node objective, int ninput, const bool* unknown,
                                            cd_multiplier_count multipliers,
                                            const cd_implicit*  implicit); // the last may be NULL; NULL without memory
void               cd_block_function_destroy(cd_block_function* function);
