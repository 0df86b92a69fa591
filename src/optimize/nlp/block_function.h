// SPDX-License-Identifier: BSD-3-Clause
// Block functions: functions of one point of the transcription with exact first and second derivatives.
#pragma once

#include "generate/compiled/compiled_functions.h"

// Entry of a sparse derivative: row and variable of the Jacobian, or a pair of variables of the Hessian.
typedef struct cd_sparse_entry {
    int row, column;
} cd_sparse_entry;

// Outputs by order of derivative: rows, then the objective if there is one; entries of the Jacobian, then of the
// gradient; entries of the Hessian of sigma f + lambda'g.
typedef enum cd_derivative_order {
    CD_ORDER_VALUE,
    CD_ORDER_JACOBIAN,
    CD_ORDER_HESSIAN,
    CD_ORDER_COUNT
} cd_derivative_order;

typedef struct cd_block_evaluator {
    int               count;
    cd_node*          node;       // (count)
    long              operations; // approximate number of operations
    cd_tape*          tape;
    cd_batch_function batch; // compiled code, or NULL
} cd_block_evaluator;

typedef struct cd_block_function {
    const char*        name;
    int                index;      // index in the NLP
    int                group_size; // blocks evaluated at once: 1 on tapes
    int                nvariable, nparameter, nrow, njacobian, ngradient, nhessian;
    int*               variable;  // (nvariable) inputs of the graph that are unknowns; ascending
    int*               parameter; // (nparameter) other inputs it reads
    cd_sparse_entry*   jacobian;  // rows; columns: indices in `variable`
    int*               gradient;  // (ngradient) indices in `variable`, of the objective
    cd_sparse_entry*   hessian;   // lower triangle over `variable`
    cd_block_evaluator evaluator[CD_ORDER_COUNT];
} cd_block_function;

// Inputs of the Hessian in addition to those of the point model: multipliers of the objective and of the rows.
typedef struct cd_multiplier_count {
    int sigma, lambda; // first input of each; lambda has as many as the function with most rows
} cd_multiplier_count;

// Accelerations z as inputs of functions, with their values and the inverse dynamics that defines them: F(y, z) = 0.
typedef struct cd_implicit {
    int            n, z, w;   // number; first input of z, and of auxiliary inputs w used by nothing else
    const cd_node *value, *F; // (n)
    const cd_node* M;         // (n x n) dF/dz, symmetric, independent of z
} cd_implicit;

// Create a block function. `row` (nrow) and `objective` (or CD_NO_NODE) are nodes; derivatives are taken by the inputs
// flagged in `unknown` (ninput). Returns NULL without memory.
cd_block_function* cd_block_function_create(cd_graph* graph, const char* name, int nrow, const cd_node* row,
                                            cd_node objective, int ninput, const bool* unknown,
                                            cd_multiplier_count multipliers,
                                            const cd_implicit*  implicit); // may be NULL
void               cd_block_function_destroy(cd_block_function* function);
