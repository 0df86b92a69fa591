// SPDX-License-Identifier: BSD-3-Clause
// The table of safe orders (paper 000; docs/theory/lagrange.md), and the choice among them.
#include "formulation/flat_order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CD_FLAT_ORDER(name) extern const cd_flat_order cd_order_##name;
#include "formulation/flat_orders.def"
#undef CD_FLAT_ORDER

static const cd_flat_order* const table[] = {
#define CD_FLAT_ORDER(name) &cd_order_##name,
#include "formulation/flat_orders.def"
#undef CD_FLAT_ORDER
};

// More pairs of blocks than this are not even counted, where another order has been counted.
static const double most_pairs_per_block = 400;
// For a shorter way up the elimination tree so much more work is accepted, where there is work for threads.
static const double price_of_threads = 1.1, least_work = 4e5;

enum { few = 1000 }; // blocks up to which orders that jump about keep their digits

int                  cd_flat_order_rows(void) { return (int)(sizeof table / sizeof *table); }
const cd_flat_order* cd_flat_order_at(int i) { return table[i]; }

static bool better(const cd_block_cost* a, const cd_block_cost* b)
{
    if (a->multiplications > least_work && b->multiplications > least_work &&
        a->multiplications < price_of_threads * b->multiplications &&
        b->multiplications < price_of_threads * a->multiplications)
        return a->critical < b->critical / 2 ||
               (a->critical < 2 * b->critical && a->multiplications < b->multiplications);
    return a->multiplications < b->multiplications;
}

// Makes an order and counts it; infinite where it is not made, not safe, or has more than `most` pairs. False without
// memory.
static bool count(int i, const cd_flat_graph* g, const cd_block_pattern* p, double most, int* made, cd_block_cost* cost)
{
    *cost                   = (cd_block_cost){INFINITY, INFINITY};
    const cd_order_made how = table[i]->make(g, p, made);
    if (how != CD_ORDER_MADE) return how != CD_ORDER_FAILED;
    const int safe = cd_order_check(g, made);
    if (safe != CD_ORDER_SAFE) return safe != CD_ORDER_NO_MEMORY;
    return cd_block_cost_of(p, made, most, cost);
}

int cd_flat_order_choose(const cd_flat_graph* g, const cd_block_pattern* p, int* order, cd_block_cost* cost)
{
    int  best = -1;
    int* made = cd_allocate((size_t)p->nblock, sizeof *made);
    bool good = made != NULL;
    // the last pass counts whatever it takes
    for (int pass = 0; good && best < 0 && pass < 2; ++pass)
        for (int i = 0; good && i < cd_flat_order_rows(); ++i) {
            cd_block_cost other;
            if (table[i]->jumps && (g->leaning || p->nblock > few)) continue;
            if (table[i]->independent && (g->leaning || g->repeats || p->nblock <= few)) continue;
            good = count(i, g, p, pass == 0 ? most_pairs_per_block * p->nblock : 1e300, made, &other);
            if (!good || !isfinite(other.multiplications)) continue;
            if (best >= 0 && !better(&other, cost)) continue;
            best  = i;
            *cost = other;
            memcpy(order, made, (size_t)p->nblock * sizeof *order);
        }
    free(made);
    return good ? best : -1;
}
