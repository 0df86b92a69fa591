// SPDX-License-Identifier: BSD-3-Clause
// Internal data of block functions under construction.
#pragma once

#include "optimize/nlp/block_function.h"

typedef struct function_builder {
    cd_graph*           graph;
    cd_block_function*  function;
    int                 nrow, ninput;
    const cd_node*      row;
    cd_node             objective;
    cd_multiplier_count multipliers;
    const cd_implicit*  implicit;
} function_builder;

// Store the nodes and create their tape.
bool cd_block_function_set_evaluator(function_builder* k, cd_derivative_order which, int count, const cd_node* node);
// sigma f + lambda'g
cd_node cd_block_function_lagrangian(function_builder* k);
// Store the entries that are not a constant zero: of the Jacobian ((nrow + objective) x nvariable, overwritten), of the
// Hessian (nvariable x nvariable, column major, lower triangle).
bool cd_block_function_set_jacobian(function_builder* k, cd_node* all);
bool cd_block_function_set_hessian(function_builder* k, cd_node* all);
// Create all outputs with z replaced by its value.
bool cd_block_function_build_implicit(function_builder* k);
