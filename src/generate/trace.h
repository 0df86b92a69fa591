// SPDX-License-Identifier: BSD-3-Clause
// Recursions over graph nodes: what is computed from inputs becomes nodes of a graph. Inputs of the graph are numbered q, v, a, effort in turn.
#pragma once

#include "generate/skeleton.h"

// Where inputs stand, and their values at the state that decides about pivots.
typedef struct cd_sources {
    int     q, v, a, effort, state, time, count;
    double* sample;  // (count)
} cd_sources;

// tau (nv) = ID(q, v, a), `accelerated` false: a = 0.
cardan_status cd_trace_inverse(cd_graph* graph, const cd_skeleton* s, const cd_sources* in, bool accelerated, cd_node* tau);
