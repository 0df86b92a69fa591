// SPDX-License-Identifier: BSD-3-Clause
// Early values: an order of a program in which what leaves no more values alive than before is computed as soon as it
// can be: fewer wait in memory. A single operation does not show that: looked at is a value with all that it needs and
// that is not there yet, a few operations.
#include "generate/program.h"

#include "core/memory.h"

#include <stdlib.h>

enum { CONE = 16, DEPTH = 4, NEAR = 64 }; // operations of a value and what it needs; how far users are sought, how many

typedef struct eager {
    const cd_program* p;
    int *             first, *next, *who; // users of a position, as lists
    int*              left;               // uses that are to come
    bool*             done;
    int *             inside, *mark; // uses inside of the cone; its number, of positions it touches
    int               stamp, *order, count;
    int *             queue, nqueue; // positions whose users are to be looked at
    int *             seen, look;
} eager;

// What stands in arrays anyway: numbers, arguments, sines and cosines of angles.
static bool is_there(const cd_program* p, int at)
{
    return p->value[at].angle >= 0 || cd_operation_operands(cd_node_operation(p->graph, p->reach.list[at].node)) == 0;
}

static void emit(eager* e, int at)
{
    if (e->done[at]) return;
    e->done[at]          = true;
    e->order[e->count++] = at;
    for (int k = 0; k < 3; ++k)
        if (e->p->reach.list[at].operand[k] >= 0) --e->left[e->p->reach.list[at].operand[k]];
    if (!is_there(e->p, at)) e->queue[e->nqueue++] = at;
}

static void touch(eager* e, int at)
{
    if (e->mark[at] == e->stamp) return;
    e->mark[at]   = e->stamp;
    e->inside[at] = 0;
}

// What is not done of a value, operands first: how many, -1: too many. `cone` has room for CONE.
static int collect(eager* e, int at, int depth, int* cone, int n)
{
    const int* operand = e->p->reach.list[at].operand;
    if (e->mark[at] == e->stamp) return n;
    if (depth == CONE) return -1;
    touch(e, at);
    for (int k = 0; k < 3 && n >= 0; ++k) {
        if (operand[k] < 0) continue;
        if (e->done[operand[k]])
            touch(e, operand[k]);
        else
            n = collect(e, operand[k], depth + 1, cone, n);
        ++e->inside[operand[k]];
    }
    if (n < 0 || n == CONE) return -1;
    cone[n] = at;
    return n + 1;
}

// Computes it now if that leaves no more alive: values of it that others need, against values nobody needs any more.
static void consider(eager* e, int at)
{
    const cd_program* p = e->p;
    int               cone[CONE], balance = 0;
    ++e->stamp;
    const int n = collect(e, at, 0, cone, 0);
    for (int i = 0; i < n; ++i) {
        balance += !is_there(p, cone[i]) && e->left[cone[i]] > e->inside[cone[i]];
        for (int k = 0; k < 3; ++k) {
            const int o = p->reach.list[cone[i]].operand[k];
            if (o < 0 || !e->done[o] || is_there(p, o) || e->left[o] != e->inside[o]) continue;
            --balance;
            e->inside[o] = -1; // counted
        }
    }
    if (n < 1 || balance > 0) return;
    for (int i = 0; i < n; ++i) emit(e, cone[i]);
}

// Users of a value, and theirs, near ones first.
static void look_around(eager* e, int from)
{
    int list[NEAR], n = 1, end = 1, begin = 0;
    list[0] = from;
    ++e->look;
    for (int depth = 0; depth < DEPTH; ++depth, begin = end, end = n)
        for (int i = begin; i < end; ++i)
            for (int u = e->first[list[i]]; u >= 0 && n < NEAR; u = e->next[u]) {
                if (e->seen[e->who[u]] == e->look || e->done[e->who[u]]) continue;
                e->seen[e->who[u]] = e->look;
                list[n++]          = e->who[u];
            }
    for (int i = 1; i < n; ++i)
        if (!e->done[list[i]]) consider(e, list[i]);
}

static void list_users(eager* e)
{
    const cd_program* p = e->p;
    int               n = 0;
    for (int i = 0; i < p->reach.count; ++i) e->first[i] = -1;
    for (int i = p->reach.count - 1; i >= 0; --i)
        for (int k = 0; k < 3; ++k) {
            const int o = p->reach.list[i].operand[k];
            if (o < 0) continue;
            ++e->left[o];
            if (is_there(p, o)) continue;
            e->who[n]   = i;
            e->next[n]  = e->first[o];
            e->first[o] = n++;
        }
}

bool cd_program_early(const cd_program* p, const int* order, int* early)
{
    const size_t n    = (size_t)p->reach.count + 1;
    int*         m    = cd_allocate(12 * n, sizeof *m);
    eager        e    = {.p = p, .order = early, .done = cd_allocate(n, sizeof *e.done)};
    const bool   room = m && e.done;
    if (room) {
        e.first = m, e.left = m + n, e.inside = m + 2 * n, e.mark = m + 3 * n, e.queue = m + 4 * n, e.seen = m + 5 * n;
        e.next = m + 6 * n, e.who = m + 9 * n;
        list_users(&e);
        for (int i = 0, looked = 0; i < p->reach.count; ++i) {
            emit(&e, order[i]);
            while (looked < e.nqueue) look_around(&e, e.queue[looked++]);
        }
    }
    free(m), free(e.done);
    return room;
}
