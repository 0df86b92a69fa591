// SPDX-License-Identifier: BSD-3-Clause
// Outward order: bodies breadth first from ground, every constraint after the last of its bodies. The eliminated part
// acts on the remaining one like a fixed wall and not like a long half with its total inertia: pivots do not decrease
// with the length of a mechanism, as they do where halves are joined (ordering_nested_dissection.c), relatively with
// its third power in ladders.
//
// The compliance of this wall under a force at its end is the round-off of all joints times their arms, which also
// accumulates with the third power of the length; the pivot of a redundant row contains nothing else.
#include "formulation/maximal/ordering/ordering.h"

#include <stdlib.h>

static cd_ordering_status compute(const cd_kkt_graph* g, const cd_block_pattern* pattern, int* order)
{
    (void)pattern;
    int* body_order = cd_allocate((size_t)g->nbody, sizeof *body_order);
    // nbody_remaining: bodies of a constraint not yet eliminated
    int*       nbody_remaining = cd_allocate((size_t)g->nconstraint, sizeof *nbody_remaining);
    const bool good            = body_order && nbody_remaining && cd_kkt_breadth_first(g, body_order) >= 0;
    int        at              = 0;
    for (int c = 0; good && c < g->nconstraint; ++c) nbody_remaining[c] = g->body_start[c + 1] - g->body_start[c];
    for (int n = 0; good && n < g->nbody; ++n) {
        const int b = body_order[n];
        order[at++] = b;
        for (int i = g->constraint_start[b]; i < g->constraint_start[b + 1]; ++i)
            if (--nbody_remaining[g->constraint[i]] == 0) order[at++] = g->nbody + g->constraint[i];
    }
    for (int c = 0; good && c < g->nconstraint; ++c)
        if (g->body_start[c] == g->body_start[c + 1]) order[at++] = g->nbody + c; // acts on no body
    free(body_order), free(nbody_remaining);
    return good ? CD_ORDERING_OK : CD_ORDERING_NO_MEMORY;
}

const cd_ordering cd_ordering_outward = {"outward",
                                         "bodies from ground outward, each constraint after the last of its bodies",
                                         compute, .needs_independent_rows = true};
