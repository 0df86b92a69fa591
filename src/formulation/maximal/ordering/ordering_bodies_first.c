// SPDX-License-Identifier: BSD-3-Clause
// All bodies, then all constraints. Constraints that share a body become coupled: good for chains, rings and ladders,
// bad for hubs.
#include "formulation/maximal/ordering/ordering.h"

static cd_ordering_status compute(const cd_kkt_graph* graph, const cd_block_pattern* pattern, int* order)
{
    (void)pattern;
    for (int i = 0; i < graph->nbody + graph->nconstraint; ++i) order[i] = i;
    return CD_ORDERING_OK;
}

const cd_ordering cd_ordering_bodies_first = {"bodies-first", "all bodies, then all constraints", compute,
                                              .is_nonlocal = false};
