// SPDX-License-Identifier: BSD-3-Clause
// Nested dissection: bodies are halved, again and again; the constraints between the halves follow both. So every
// constraint comes after all its bodies, and the elimination tree is short: its halves can be factored side by side.
//
// Halves are cut from a breadth-first numbering that begins far out, near its middle, where the fewest rows are cut.
#include "formulation/flat_order.h"

#include <stdlib.h>
#include <string.h>

enum { SMALL = 8 }; // bodies that are not divided

typedef struct dissection {
    const cd_flat_graph* g;
    int *                body, *where; // (nbody) numbering, and its inverse
    int*                 cut;          // (nbody + 1) changes of the rows that a cut before a place severs
    bool*                done;         // (nconstraint)
    int*                 order;
    int                  count;
} dissection;

static bool inside(const dissection* d, int b, int low, int high) { return d->where[b] >= low && d->where[b] < high; }

static bool all_inside(const dissection* d, int c, int low, int high)
{
    for (int i = d->g->first[c]; i < d->g->first[c + 1]; ++i)
        if (!inside(d, d->g->body[i], low, high)) return false;
    return true;
}

// Bodies low .. high - 1 of the numbering, breadth first from the one at `low`; bodies still to be found stand behind
// those found.
static void number(dissection* d, int low, int high)
{
    const cd_flat_graph* g     = d->g;
    int                  found = low;
    for (int head = low; head < high; ++head) {
        if (head == found) ++found;
        const int b = d->body[head];
        for (int i = g->start[b]; i < g->start[b + 1]; ++i)
            for (int k = g->first[g->list[i]]; k < g->first[g->list[i] + 1]; ++k) {
                const int other = g->body[k], at = d->where[other];
                if (at < found || at >= high) continue;
                const int moved = d->body[found];
                d->body[at]     = moved;
                d->where[moved] = at;
                d->body[found]  = other;
                d->where[other] = found++;
            }
    }
}

// To the front of the part.
static void begin_at(dissection* d, int low, int at)
{
    const int a = d->body[low], b = d->body[at];
    d->body[low] = b, d->body[at] = a;
    d->where[a] = at, d->where[b] = low;
}

static int best_cut(dissection* d, int low, int high)
{
    const cd_flat_graph* g = d->g;
    memset(d->cut + low, 0, (size_t)(high - low + 1) * sizeof *d->cut);
    for (int n = low; n < high; ++n)
        for (int i = g->start[d->body[n]]; i < g->start[d->body[n] + 1]; ++i) {
            const int c     = g->list[i];
            int       least = high, most = low;
            for (int k = g->first[c]; k < g->first[c + 1]; ++k) {
                const int at = d->where[g->body[k]];
                if (at < low || at >= high) continue;
                if (at < least) least = at;
                if (at > most) most = at;
            }
            if (least != n || most == least) continue; // once per constraint
            d->cut[least + 1] += g->nrow[c];
            d->cut[most + 1] -= g->nrow[c];
        }
    const int n = high - low, first = low + 3 * n / 8, last = low + (5 * n + 7) / 8;
    int       severed = 0, best = low + n / 2, least = -1;
    for (int at = low; at < last; ++at) {
        severed += d->cut[at];
        if (at < first || at == low) continue;
        if (least < 0 || severed < least ||
            (severed == least && abs(2 * at - low - high) < abs(2 * best - low - high))) {
            least = severed;
            best  = at;
        }
    }
    return best;
}

static void emit_constraints(dissection* d, int low, int high)
{
    const cd_flat_graph* g = d->g;
    for (int n = low; n < high; ++n)
        for (int i = g->start[d->body[n]]; i < g->start[d->body[n] + 1]; ++i) {
            const int c = g->list[i];
            if (d->done[c] || !all_inside(d, c, low, high)) continue;
            d->done[c]           = true;
            d->order[d->count++] = g->nbody + c;
        }
}

static void dissect(dissection* d, int low, int high)
{
    if (high - low <= SMALL) {
        number(d, low, high);
        for (int n = low; n < high; ++n) d->order[d->count++] = d->body[n];
    } else {
        number(d, low, high);
        begin_at(d, low, high - 1);
        number(d, low, high);
        const int middle = best_cut(d, low, high);
        dissect(d, low, middle);
        dissect(d, middle, high);
    }
    emit_constraints(d, low, high);
}

static cd_order_made make(const cd_flat_graph* g, const cd_block_pattern* pattern, int* order)
{
    (void)pattern;
    dissection d    = {.g = g, .order = order};
    d.body          = cd_allocate((size_t)g->nbody, sizeof *d.body);
    d.where         = cd_allocate((size_t)g->nbody, sizeof *d.where);
    d.cut           = cd_allocate((size_t)g->nbody + 2, sizeof *d.cut);
    d.done          = cd_allocate((size_t)g->nconstraint, sizeof *d.done);
    const bool good = d.body && d.where && d.cut && d.done;
    for (int b = 0; good && b < g->nbody; ++b) d.body[b] = d.where[b] = b;
    if (good) dissect(&d, 0, g->nbody);
    for (int c = 0; good && c < g->nconstraint; ++c)
        if (!d.done[c]) order[d.count++] = g->nbody + c; // acts on nothing
    free(d.body), free(d.where), free(d.cut), free(d.done);
    return good ? CD_ORDER_MADE : CD_ORDER_FAILED;
}

const cd_flat_order cd_order_dissection = {
    "nested-dissection", "bodies halved again and again, the constraints between the halves behind them", make,
    .jumps = false};
