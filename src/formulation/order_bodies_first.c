// SPDX-License-Identifier: BSD-3-Clause
// All bodies, then all constraints. Constraints that share a body become coupled: good for chains, rings, ladders, bad
// for hubs.
#include "formulation/flat_order.h"

static cd_order_made make(const cd_flat_graph* graph, const cd_block_pattern* pattern, int* order)
{
    (void)pattern;
    for (int i = 0; i < graph->nbody + graph->nconstraint; ++i) order[i] = i;
    return CD_ORDER_MADE;
}

const cd_flat_order cd_order_bodies_first = {"bodies-first", "all bodies, then all constraints", make, .jumps = false};
