// SPDX-License-Identifier: BSD-3-Clause
// Constants of a model that stand for expressions of parameters, while a thread traces: r_lift of a traced number
// (math/number_trace.h) asks here. A constant comes as a bare double from anywhere in a recursion, so that what it
// stands for belongs to the thread that traces, between begin and end.
#pragma once

#include "expression/graph.h"

struct cd_ledger;

typedef struct cd_lift {
    const struct cd_ledger* ledger;
    cd_graph*               graph; // of the trace
    int                     first; // its input that is the first parameter
    cd_node*                node;  // of what was found before, by its place in the ledger
    int                     capacity;
    bool                    failed; // for lack of memory
    struct cd_lift*         outer;
} cd_lift;

// Nothing where the ledger is NULL.
void cd_lift_begin(cd_lift* lift, const struct cd_ledger* ledger, cd_graph* graph, int first);
bool cd_lift_end(cd_lift* lift); // false where memory was lacking

extern _Thread_local cd_lift* cd_lifting;

// Node of the trace that a constant stands for; CD_NO_NODE: itself.
cd_node cd_lift_number(cd_lift* lift, double value);
