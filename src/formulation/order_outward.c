// SPDX-License-Identifier: BSD-3-Clause
// Outward: bodies leave breadth first from ground, every constraint behind the last of its bodies. What is gone stands
// before the rest as a wall, not as a long half that resists by its inertia as a whole: pivots do not shrink with the
// length of a mechanism, as they do where halves are put together (order_dissection.c), relatively with its third power
// in ladders.
//
// But what a wall yields under a force at its end is the rounding of all joints times their arms, which also adds up
// with the third power of the length; in the pivot of a row that repeats others there is nothing else.
#include "formulation/flat_order.h"

#include <stdlib.h>

static cd_order_made make(const cd_flat_graph* g, const cd_block_pattern* pattern, int* order)
{
    (void)pattern;
    int*       visit = cd_allocate((size_t)g->nbody, sizeof *visit);
    int*       left  = cd_allocate((size_t)g->nconstraint, sizeof *left); // bodies of a constraint that are not gone
    const bool good  = visit && left && cd_flat_walk(g, visit) >= 0;
    int        at    = 0;
    for (int c = 0; good && c < g->nconstraint; ++c) left[c] = g->first[c + 1] - g->first[c];
    for (int n = 0; good && n < g->nbody; ++n) {
        const int b = visit[n];
        order[at++] = b;
        for (int i = g->start[b]; i < g->start[b + 1]; ++i)
            if (--left[g->list[i]] == 0) order[at++] = g->nbody + g->list[i];
    }
    for (int c = 0; good && c < g->nconstraint; ++c)
        if (g->first[c] == g->first[c + 1]) order[at++] = g->nbody + c; // acts on nothing
    free(visit), free(left);
    return good ? CD_ORDER_MADE : CD_ORDER_FAILED;
}

const cd_flat_order cd_order_outward = {
    "outward", "bodies from ground outward, each constraint behind the last of its bodies", make, .independent = true};
