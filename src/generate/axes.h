// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "generate/routine.h"

// How hard to look for the trace with fewest operations.
typedef struct cd_thrift {
    bool regroup;  // inertias, where the routine allows it
    bool try_axes; // axes by counting, not by rule of thumb
    bool packs; // at last, where the routine has any: not counted, for they cost fewer instructions and more operations
    const double* expected; // (noutput) by the runtime at the sample state: ways that do not give it are passed over;
                            // NULL: all are trusted
    double      size;       // of what it is measured by, at least
    cd_referee* referee; // that gave it, and may take over what is not determined (beside.c); NULL: it stands as it is
} cd_thrift;

// Trace a routine into a graph of its own.
cardan_status cd_trace_cheapest(const cardan_model* model, const cd_routine* routine, const cd_sources* in,
                                cd_thrift thrift, cd_graph** graph, int noutput, cd_node* output);
