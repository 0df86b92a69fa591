// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "generate/routine.h"

// Trace a routine on the axes that leave fewest operations, found by trying; `graph` gets the best. Regrouped inertias are tried too if allowed.
cardan_status cd_trace_cheapest(const cardan_model* model, const cd_routine* routine, const cd_sources* in, bool regroup, cd_graph** graph, cd_node* output, int noutput);
