// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "generate/routine/routine.h"

// Options of the search for the trace with the fewest operations.
typedef struct cd_trace_search {
    bool regroup;           // regroup inertias, if the routine permits it
    bool search_axes;       // choose axes by operation counts, not by the heuristic
    bool vector_groups;     // final trace with vector groups, if any; not counted: fewer instructions, more operations
    const double* expected; // (noutput) results of the reference at the trace state; methods that do not match
                            // them are rejected; NULL: accept all methods
    double                min_scale; // smallest scale for differences
    cd_runtime_reference* reference; // adopts an undetermined normal part into `expected` (normal_part.c); NULL: no
} cd_trace_search;

// Trace a routine into a new graph, with the method and axes that need the fewest operations. Returns
// CARDAN_UNSUPPORTED or CARDAN_SINGULAR if no method is applicable.
cardan_status cd_trace_cheapest(const cardan_model* model, const cd_routine* routine, const cd_input_layout* in,
                                cd_trace_search search, cd_graph** graph, int noutput, cd_node* output);
