// SPDX-License-Identifier: BSD-3-Clause
// Constants of a model that stand for expressions of parameters, while a thread traces: r_lift of a traced number
// (math/number_trace.h) asks here. A constant comes as a bare double from anywhere in a recursion, so that what it
// stands for belongs to the thread that traces, between begin and end.
#pragma once

#include "expression/graph.h"

struct cd_parametric;

typedef struct cd_trace_parameters {
    const struct cd_parametric* parametric;
    cd_graph*                   graph;       // of the trace
    int                         first_input; // its input that is the first parameter
    cd_node*                    cached_node; // of what was found before, by its place in the ledger
    int                         capacity;
    bool                        has_failed; // for lack of memory
    struct cd_trace_parameters* outer;
} cd_trace_parameters;

// Nothing where the ledger is NULL.
void cd_trace_parameters_begin(cd_trace_parameters* lift, const struct cd_parametric* ledger, cd_graph* graph,
                               int first);
bool cd_trace_parameters_end(cd_trace_parameters* lift); // false where memory was lacking

extern _Thread_local cd_trace_parameters* cd_trace_parameters_active;

// Node of the trace that a constant stands for; CD_NO_NODE: itself.
cd_node cd_trace_parameters_node(cd_trace_parameters* lift, double value);
