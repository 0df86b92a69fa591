// SPDX-License-Identifier: BSD-3-Clause
// Order of a program with fewer live values. Starting from a given order, a value is evaluated as soon as this does not
// increase the number of live values, so that fewer values are spilled to memory. The gain of a single operation cannot
// be judged alone, so the test is made for a value together with its cone: all operations that it needs and that are
// not yet done, at most MAX_CONE of them.
#include "generate/program/program.h"

#include "core/memory.h"

#include <stdlib.h>

enum {
    MAX_CONE   = 16,
    USER_DEPTH = 4,
    MAX_USERS  = 64
}; // operations in a cone; distance of users considered; number of users considered

typedef struct live_reducer {
    const cd_program* p;
    int *             first, *next, *user; // linked lists of the users of each position
    int*              uses_left;           // number of uses not yet done
    bool*             done;
    int *             uses_in_cone, *cone_mark; // uses inside the cone; stamp of the last cone that touches it
    int               cone_stamp, *order, count;
    int *             queue, nqueue; // positions whose users are to be considered
    int *             search_mark, search_stamp;
} live_reducer;

// True for values that are stored in arrays anyway: constants, arguments, sines and cosines of angles.
static bool is_stored(const cd_program* p, int at)
{
    return p->value[at].angle >= 0 ||
           cd_operation_operands(cd_node_operation(p->graph, p->subgraph.entry[at].node)) == 0;
}

static void emit(live_reducer* e, int at)
{
    if (e->done[at]) return;
    e->done[at]          = true;
    e->order[e->count++] = at;
    for (int k = 0; k < 3; ++k)
        if (e->p->subgraph.entry[at].operand[k] >= 0) --e->uses_left[e->p->subgraph.entry[at].operand[k]];
    if (!is_stored(e->p, at)) e->queue[e->nqueue++] = at;
}

static void mark_in_cone(live_reducer* e, int at)
{
    if (e->cone_mark[at] == e->cone_stamp) return;
    e->cone_mark[at]    = e->cone_stamp;
    e->uses_in_cone[at] = 0;
}

// Collect the operations that `at` needs and that are not done, operands first. Returns their number, or -1 if there
// are more than MAX_CONE. `cone` has MAX_CONE entries.
static int collect_cone(live_reducer* e, int at, int depth, int* cone, int n)
{
    const int* operand = e->p->subgraph.entry[at].operand;
    if (e->cone_mark[at] == e->cone_stamp) return n;
    if (depth == MAX_CONE) return -1;
    mark_in_cone(e, at);
    for (int k = 0; k < 3 && n >= 0; ++k) {
        if (operand[k] < 0) continue;
        if (e->done[operand[k]])
            mark_in_cone(e, operand[k]);
        else
            n = collect_cone(e, operand[k], depth + 1, cone, n);
        ++e->uses_in_cone[operand[k]];
    }
    if (n < 0 || n == MAX_CONE) return -1;
    cone[n] = at;
    return n + 1;
}

// Evaluate the cone of `at` now if this does not increase the number of live values: values of the cone that are read
// later, minus values whose last use is in the cone.
static void evaluate_if_not_more_live(live_reducer* e, int at)
{
    const cd_program* p = e->p;
    int               cone[MAX_CONE], live_change = 0;
    ++e->cone_stamp;
    const int n = collect_cone(e, at, 0, cone, 0);
    for (int i = 0; i < n; ++i) {
        live_change += !is_stored(p, cone[i]) && e->uses_left[cone[i]] > e->uses_in_cone[cone[i]];
        for (int k = 0; k < 3; ++k) {
            const int o = p->subgraph.entry[cone[i]].operand[k];
            if (o < 0 || !e->done[o] || is_stored(p, o) || e->uses_left[o] != e->uses_in_cone[o]) continue;
            --live_change;
            e->uses_in_cone[o] = -1; // already counted
        }
    }
    if (n < 1 || live_change > 0) return;
    for (int i = 0; i < n; ++i) emit(e, cone[i]);
}

// Test the users of a value, their users and so on up to USER_DEPTH levels, nearest first.
static void consider_users(live_reducer* e, int from)
{
    int list[MAX_USERS], n = 1, end = 1, begin = 0;
    list[0] = from;
    ++e->search_stamp;
    for (int depth = 0; depth < USER_DEPTH; ++depth, begin = end, end = n)
        for (int i = begin; i < end; ++i)
            for (int u = e->first[list[i]]; u >= 0 && n < MAX_USERS; u = e->next[u]) {
                if (e->search_mark[e->user[u]] == e->search_stamp || e->done[e->user[u]]) continue;
                e->search_mark[e->user[u]] = e->search_stamp;
                list[n++]                  = e->user[u];
            }
    for (int i = 1; i < n; ++i)
        if (!e->done[list[i]]) evaluate_if_not_more_live(e, list[i]);
}

static void list_users(live_reducer* e)
{
    const cd_program* p = e->p;
    int               n = 0;
    for (int i = 0; i < p->subgraph.count; ++i) e->first[i] = -1;
    for (int i = p->subgraph.count - 1; i >= 0; --i)
        for (int k = 0; k < 3; ++k) {
            const int o = p->subgraph.entry[i].operand[k];
            if (o < 0) continue;
            ++e->uses_left[o];
            if (is_stored(p, o)) continue;
            e->user[n]  = i;
            e->next[n]  = e->first[o];
            e->first[o] = n++;
        }
}

bool cd_program_reduce_live(const cd_program* p, const int* order, int* new_order)
{
    const size_t n         = (size_t)p->subgraph.count + 1;
    int*         m         = cd_allocate(12 * n, sizeof *m);
    live_reducer e         = {.p = p, .order = new_order, .done = cd_allocate(n, sizeof *e.done)};
    const bool   allocated = m && e.done;
    if (allocated) {
        e.first = m, e.uses_left = m + n, e.uses_in_cone = m + 2 * n, e.cone_mark = m + 3 * n, e.queue = m + 4 * n,
        e.search_mark = m + 5 * n;
        e.next = m + 6 * n, e.user = m + 9 * n;
        list_users(&e);
        for (int i = 0, next_in_queue = 0; i < p->subgraph.count; ++i) {
            emit(&e, order[i]);
            while (next_in_queue < e.nqueue) consider_users(&e, e.queue[next_in_queue++]);
        }
    }
    free(m), free(e.done);
    return allocated;
}
