// SPDX-License-Identifier: BSD-3-Clause
// Nested dissection: the set of bodies is bisected recursively; the constraints between the halves follow both. Every
// constraint follows all its bodies, and the elimination tree is short: its halves can be factored in parallel.
//
// Halves are separated in a breadth-first numbering that begins at a peripheral body, near its middle, at the position
// that cuts the fewest rows.
#include "formulation/maximal/ordering/ordering.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_UNDIVIDED_BODIES = 8 }; // sets of at most this size are not bisected

typedef struct dissection {
    const cd_kkt_graph* g;
    int *               body, *position;    // (nbody) numbering, and its inverse
    int*                severed_row_change; // (nbody + 1) changes of the number of rows severed by a cut before a
                                            // position
    bool* is_emitted;                       // (nconstraint)
    int*  order;
    int   count;
} dissection;

static bool inside(const dissection* d, int b, int low, int high)
{
    return d->position[b] >= low && d->position[b] < high;
}

static bool all_inside(const dissection* d, int c, int low, int high)
{
    for (int i = d->g->body_start[c]; i < d->g->body_start[c + 1]; ++i)
        if (!inside(d, d->g->body[i], low, high)) return false;
    return true;
}

// Number bodies low .. high - 1 breadth first from the one at `low`; bodies not yet found follow those found.
static void number_breadth_first(dissection* d, int low, int high)
{
    const cd_kkt_graph* g     = d->g;
    int                 found = low;
    for (int head = low; head < high; ++head) {
        if (head == found) ++found;
        const int b = d->body[head];
        for (int i = g->constraint_start[b]; i < g->constraint_start[b + 1]; ++i)
            for (int k = g->body_start[g->constraint[i]]; k < g->body_start[g->constraint[i] + 1]; ++k) {
                const int other = g->body[k], at = d->position[other];
                if (at < found || at >= high) continue;
                const int moved    = d->body[found];
                d->body[at]        = moved;
                d->position[moved] = at;
                d->body[found]     = other;
                d->position[other] = found++;
            }
    }
}

// Move a body to the front of the range.
static void move_to_front(dissection* d, int low, int at)
{
    const int a = d->body[low], b = d->body[at];
    d->body[low] = b, d->body[at] = a;
    d->position[a] = at, d->position[b] = low;
}

static int best_cut(dissection* d, int low, int high)
{
    const cd_kkt_graph* g = d->g;
    memset(d->severed_row_change + low, 0, (size_t)(high - low + 1) * sizeof *d->severed_row_change);
    for (int n = low; n < high; ++n)
        for (int i = g->constraint_start[d->body[n]]; i < g->constraint_start[d->body[n] + 1]; ++i) {
            const int c     = g->constraint[i];
            int       least = high, most = low;
            for (int k = g->body_start[c]; k < g->body_start[c + 1]; ++k) {
                const int at = d->position[g->body[k]];
                if (at < low || at >= high) continue;
                if (at < least) least = at;
                if (at > most) most = at;
            }
            if (least != n || most == least) continue; // once per constraint
            d->severed_row_change[least + 1] += g->nrow[c];
            d->severed_row_change[most + 1] -= g->nrow[c];
        }
    const int n = high - low, first = low + 3 * n / 8, last = low + (5 * n + 7) / 8;
    int       severed = 0, best = low + n / 2, least = -1;
    for (int at = low; at < last; ++at) {
        severed += d->severed_row_change[at];
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
    const cd_kkt_graph* g = d->g;
    for (int n = low; n < high; ++n)
        for (int i = g->constraint_start[d->body[n]]; i < g->constraint_start[d->body[n] + 1]; ++i) {
            const int c = g->constraint[i];
            if (d->is_emitted[c] || !all_inside(d, c, low, high)) continue;
            d->is_emitted[c]     = true;
            d->order[d->count++] = g->nbody + c;
        }
}

static void dissect(dissection* d, int low, int high)
{
    if (high - low <= MAX_UNDIVIDED_BODIES) {
        number_breadth_first(d, low, high);
        for (int n = low; n < high; ++n) d->order[d->count++] = d->body[n];
    } else {
        number_breadth_first(d, low, high);
        move_to_front(d, low, high - 1);
        number_breadth_first(d, low, high);
        const int middle = best_cut(d, low, high);
        dissect(d, low, middle);
        dissect(d, middle, high);
    }
    emit_constraints(d, low, high);
}

static cd_ordering_status compute(const cd_kkt_graph* g, const cd_block_pattern* pattern, int* order)
{
    (void)pattern;
    dissection d         = {.g = g, .order = order};
    d.body               = cd_allocate((size_t)g->nbody, sizeof *d.body);
    d.position           = cd_allocate((size_t)g->nbody, sizeof *d.position);
    d.severed_row_change = cd_allocate((size_t)g->nbody + 2, sizeof *d.severed_row_change);
    d.is_emitted         = cd_allocate((size_t)g->nconstraint, sizeof *d.is_emitted);
    const bool good      = d.body && d.position && d.severed_row_change && d.is_emitted;
    for (int b = 0; good && b < g->nbody; ++b) d.body[b] = d.position[b] = b;
    if (good) dissect(&d, 0, g->nbody);
    for (int c = 0; good && c < g->nconstraint; ++c)
        if (!d.is_emitted[c]) order[d.count++] = g->nbody + c; // acts on no body
    free(d.body), free(d.position), free(d.severed_row_change), free(d.is_emitted);
    return good ? CD_ORDERING_OK : CD_ORDERING_NO_MEMORY;
}

const cd_ordering cd_ordering_nested_dissection = {
    "nested-dissection", "bodies bisected recursively, the constraints between the halves after them", compute,
    .is_nonlocal = false};
