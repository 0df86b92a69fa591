// SPDX-License-Identifier: BSD-3-Clause
// Table of safe orders (paper 000; docs/theory/lagrange.md), and choice among them.
#include "formulation/formulation_tolerances.h"
#include "formulation/maximal/ordering/ordering.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CD_ORDERING(name) extern const cd_ordering cd_ordering_##name;
#include "formulation/maximal/ordering/orderings.def"
#undef CD_ORDERING

static const cd_ordering* const table[] = {
#define CD_ORDERING(name) &cd_ordering_##name,
#include "formulation/maximal/ordering/orderings.def"
#undef CD_ORDERING
};

enum { MAX_NONLOCAL_BLOCKS = 1000 }; // blocks up to which nonlocal orders keep their digits

int                cd_ordering_count(void) { return (int)(sizeof table / sizeof *table); }
const cd_ordering* cd_ordering_at(int i) { return table[i]; }

static bool is_cheaper(const cd_block_cost* a, const cd_block_cost* b)
{
    if (a->multiplications > cd_block_min_work_for_threads && b->multiplications > cd_block_min_work_for_threads &&
        a->multiplications < cd_parallel_work_factor * b->multiplications &&
        b->multiplications < cd_parallel_work_factor * a->multiplications)
        return a->critical_path < b->critical_path / 2 ||
               (a->critical_path < 2 * b->critical_path && a->multiplications < b->multiplications);
    return a->multiplications < b->multiplications;
}

// Compute an order and its cost; infinite if it is not available, not safe, or has more than `max_pairs` pairs. Returns
// false if memory is exhausted.
static bool compute_and_cost(int i, const cd_kkt_graph* g, const cd_block_pattern* p, double max_pairs, int* computed,
                             cd_block_cost* cost)
{
    *cost                           = (cd_block_cost){INFINITY, INFINITY};
    const cd_ordering_status status = table[i]->compute(g, p, computed);
    if (status != CD_ORDERING_OK) return status != CD_ORDERING_NO_MEMORY;
    const int safe = cd_order_safety_check(g, computed);
    if (safe != CD_ORDER_SAFE) return safe != CD_ORDER_SAFETY_NO_MEMORY;
    return cd_block_cost_compute(p, computed, max_pairs, cost);
}

int cd_ordering_choose(const cd_kkt_graph* g, const cd_block_pattern* p, int* order, cd_block_cost* cost)
{
    int  best     = -1;
    int* computed = cd_allocate((size_t)p->nblock, sizeof *computed);
    bool good     = computed != NULL;
    // the second pass has no limit
    for (int pass = 0; good && best < 0 && pass < 2; ++pass)
        for (int i = 0; good && i < cd_ordering_count(); ++i) {
            cd_block_cost other;
            if (table[i]->is_nonlocal && (g->has_penalty || p->nblock > MAX_NONLOCAL_BLOCKS)) continue;
            if (table[i]->needs_independent_rows &&
                (g->has_penalty || g->has_redundant_rows || p->nblock <= MAX_NONLOCAL_BLOCKS))
                continue;
            good = compute_and_cost(i, g, p, pass == 0 ? cd_order_pairs_per_block_max * p->nblock : 1e300, computed,
                                    &other);
            if (!good || !isfinite(other.multiplications)) continue;
            if (best >= 0 && !is_cheaper(&other, cost)) continue;
            best  = i;
            *cost = other;
            memcpy(order, computed, (size_t)p->nblock * sizeof *order);
        }
    free(computed);
    return good ? best : -1;
}
