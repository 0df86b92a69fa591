// SPDX-License-Identifier: BSD-3-Clause
// Recursions over graph nodes: what is computed from inputs becomes nodes of a graph. Inputs of the graph are numbered
// q, v, a, effort, state, time, parameters, weights, multipliers in turn.
#pragma once

#include "generate/skeleton.h"

// Where inputs stand, and their values at the state that decides about pivots.
typedef struct cd_sources {
    int     q, v, a, effort, state, time, count;
    double* sample;                  // (count)
    int     weight;                  // of results, in second derivatives; 0: there are none
    int     p, np;                   // parameters of the model file that are arguments
    int     multiplier, nmultiplier; // of constraint rows; 0: there are none
    bool    single;                  // code computes with floats
    bool    derived;                 // derivatives are made of what is traced
} cd_sources;
