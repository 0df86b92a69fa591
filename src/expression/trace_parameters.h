// SPDX-License-Identifier: BSD-3-Clause
// Binding of parametric values to inputs of the graph that a thread traces. r_const of a traced number
// (math/number_trace.h) uses it: a constant is a plain double from anywhere in a recursion, so that the binding belongs
// to the tracing thread, between begin and end.
#pragma once

#include "expression/graph.h"

struct cd_parametric;

typedef struct cd_trace_parameters {
    const struct cd_parametric* parametric;
    cd_graph*                   graph;       // graph of the trace
    int                         first_input; // input of the first parameter
    cd_node*                    cached_node; // nodes found before, by index of the parametric value
    int                         capacity;
    bool                        has_failed; // an allocation failed
    struct cd_trace_parameters* outer;
} cd_trace_parameters;

// No effect if `parametric` is NULL.
void cd_trace_parameters_begin(cd_trace_parameters* trace, const struct cd_parametric* parametric, cd_graph* graph,
                               int first);
bool cd_trace_parameters_end(cd_trace_parameters* trace); // false if an allocation failed

extern _Thread_local cd_trace_parameters* cd_trace_parameters_active;

// Node of the trace for a constant; CD_NO_NODE: the constant itself.
cd_node cd_trace_parameters_node(cd_trace_parameters* trace, double value);
