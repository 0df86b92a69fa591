// SPDX-License-Identifier: BSD-3-Clause
// Recursions over graph nodes: what is computed from inputs becomes nodes of a graph. Inputs of the graph are numbered
// q, v, a, effort, state, time, parameters, weights, multipliers in turn.
#pragma once

#include "generate/trace/link_tree.h"

// Where inputs stand, and their values at the state that decides about pivots.
typedef struct cd_input_layout {
    int     q, v, a, effort, state, time, count;
    double* trace_input;             // (count)
    int     weight;                  // of results, in second derivatives; 0: there are none
    int     p, np;                   // parameters of the model file that are arguments
    int     multiplier, nmultiplier; // of constraint rows; 0: there are none
    bool    single_precision;        // code computes with floats
    bool    for_derivatives;         // derivatives are made of what is traced
} cd_input_layout;
