// SPDX-License-Identifier: BSD-3-Clause
// Layout of the inputs of a traced graph: q, v, a, effort, state, time, parameters, weights, multipliers, in this
// order. A trace evaluates a recursion on nodes of the graph instead of numbers.
#pragma once

#include "generate/trace/link_tree.h"

// First index of each argument among the inputs, and the values of all inputs at the trace state, where pivots are
// decided.
typedef struct cd_input_layout {
    int     q, v, a, effort, state, time, count;
    double* trace_input;             // (count)
    int     weight;                  // weights of the results, for second derivatives; 0: none
    int     p, np;                   // parameters of the model file that are arguments
    int     multiplier, nmultiplier; // multipliers of the constraint rows; 0: none
    bool    single_precision;        // the printed code computes with floats
    bool    for_derivatives;         // the trace will be differentiated
} cd_input_layout;
