// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "generate/routine/routine.h"

// How hard to look for the trace with fewest operations.
typedef struct cd_trace_search {
    bool regroup;     // inertias, where the routine allows it
    bool search_axes; // axes by counting, not by rule of thumb
    bool
        vector_groups; // at last, where the routine has any: not counted, for they cost fewer instructions and more operations
    const double* expected; // (noutput) by the runtime at the sample state: ways that do not give it are passed over;
                            // NULL: all are trusted
    double min_scale;       // of what it is measured by, at least
    cd_reference*
        reference; // that gave it, and may take over what is not determined (beside.c); NULL: it stands as it is
} cd_trace_search;

// Trace a routine into a graph of its own.
cardan_status cd_trace_cheapest(const cardan_model* model, const cd_routine* routine, const cd_input_layout* in,
                                cd_trace_search search, cd_graph** graph, int noutput, cd_node* output);
