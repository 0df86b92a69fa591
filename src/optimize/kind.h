// SPDX-License-Identifier: BSD-3-Clause
// Kinds: functions of one instant of the mechanism with exact first and second derivatives.
#pragma once

#include "generate/functions.h"

// Entries of the derivatives of a kind: row and variable of the Jacobian, pairs of variables of the Hessian.
typedef struct cd_entry {
    int row, column;
} cd_entry;

// Functions of a kind: rows, then the objective where it has one; entries of the Jacobian, then of the gradient;
// entries of the Hessian of sigma f + lambda'g.
typedef enum cd_which { CD_VALUE, CD_SLOPE, CD_CURVE, CD_DERIVATIVES } cd_which;

typedef struct cd_function {
    int      count;
    cd_node* node; // (count)
    long     size; // operations, about
    cd_tape* tape;
    cd_batch batch; // compiled, or NULL
} cd_function;

typedef struct cd_kind {
    const char* name;
    int         index; // in the chain
    int         group; // blocks that are evaluated at once: 1 on tapes
    int         nvariable, nsetting, nrow, njacobian, ngradient, nhessian;
    int*        variable; // (nvariable) inputs of the graph that are unknowns; ascending
    int*        setting;  // (nsetting) other inputs that it reads
    cd_entry*   jacobian; // rows, columns: places in `variable`
    int*        gradient; // (ngradient) places in `variable`, of the objective
    cd_entry*   hessian;  // lower triangle over `variable`
    cd_function function[CD_DERIVATIVES];
} cd_kind;

// Inputs beside those of the stage: multipliers of the rows and of the objective, which curves take.
typedef struct cd_multipliers {
    int sigma, lambda; // first; as many as the kind with most rows has
} cd_multipliers;

// Accelerations z as inputs of functions, with what they are and the inverse dynamics that defines them: F(y, z) = 0.
typedef struct cd_implicit {
    int            n, z, w;   // how many; first inputs, and inputs that nothing else uses
    const cd_node *value, *F; // (n)
    const cd_node* M;         // (n x n) dF/dz, symmetric, without z
} cd_implicit;

// `row` (nrow) and `objective` (or CD_NO_NODE) are nodes; inputs flagged in `unknown` (ninput) are differentiated.
cd_kind* cd_kind_create(cd_graph* graph, const char* name, int nrow, const cd_node* row, cd_node objective, int ninput,
                        const bool* unknown, cd_multipliers multipliers,
                        const cd_implicit* implicit); // the last may be NULL; NULL without memory
void     cd_kind_destroy(cd_kind* kind);
