// SPDX-License-Identifier: BSD-3-Clause
// Safe orders (paper 000; which orders are safe, and one that is not, is in docs/theory/lagrange.md).
//
// Tree order: breadth-first tree over the bodies along constraints, from ground; bodies leave in reverse, each followed by the
// constraint it hangs on, on which it alone gives the constraint full rank. A constraint that closes a loop follows
// the last body on its ways up to, but not including, their common ancestor.
#include "formulation/flat_order.h"

#include <stdlib.h>

int cd_flat_bodies(const cd_row_block* block, int body[CD_BLOCK_BODIES])
{
    int count = 0;
    for (int i = 0; i < block->nv; ++i) {
        const int b     = block->v[i] / 6;
        bool      known = false;
        for (int k = 0; k < count; ++k) known |= body[k] == b;
        if (!known && count < CD_BLOCK_BODIES) body[count++] = b;
    }
    return count;
}

void cd_order_bodies_first(const cd_flat_graph* graph, int* order)
{
    for (int i = 0; i < graph->nbody + graph->rows->nblock; ++i) order[i] = i;
}

typedef struct forest {
    int *start, *list;     // constraints at each body
    int *parent, *hold;    // body and constraint it hangs on, -1 at a root
    int *depth, *visit;    // distance from the root; bodies in order of discovery
    int *after, *next;     // constraints that follow a body: lists
    int *when;             // position of a body in `visit`
    int  count;
} forest;

static bool allocate_forest(forest* f, const cd_flat_graph* g)
{
    const size_t n = (size_t)g->nbody, m = (size_t)g->rows->nblock;
    int** const  all[]  = {&f->start, &f->parent, &f->hold, &f->depth, &f->visit, &f->after, &f->when, &f->list, &f->next};
    const size_t room[] = {n + 2, n, n, n, n, n + 1, n, CD_BLOCK_BODIES * m, m};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        if (!(*all[i] = cd_allocate(room[i], sizeof(int)))) return false;
    return true;
}

static void free_forest(forest* f)
{
    int* const all[] = {f->start, f->list, f->parent, f->hold, f->depth, f->visit, f->after, f->next, f->when};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) free(all[i]);
}

static void list_constraints(forest* f, const cd_flat_graph* g)
{
    int body[CD_BLOCK_BODIES];
    for (int pass = 0; pass < 2; ++pass) {
        for (int c = 0; c < g->rows->nblock; ++c)
            for (int k = cd_flat_bodies(&g->rows->block[c], body) - 1; k >= 0; --k) {
                if (pass == 0) ++f->start[body[k] + 2];
                else f->list[f->start[body[k] + 1]++] = c;
            }
        for (int i = 0; pass == 0 && i <= g->nbody; ++i) f->start[i + 1] += f->start[i];
    }
}

static void discover(forest* f, int b, int parent, int hold)
{
    f->parent[b]         = parent;
    f->hold[b]           = hold;
    f->depth[b]          = parent < 0 ? 0 : f->depth[parent] + 1;
    f->when[b]           = f->count;
    f->visit[f->count++] = b;
}

// From the bodies that a constraint holds to ground; then from the first body of every part that is left.
static void grow(forest* f, const cd_flat_graph* g)
{
    int body[CD_BLOCK_BODIES], head = 0, root = 0;
    for (int b = 0; b < g->nbody; ++b) f->when[b] = -1;
    for (int c = 0; c < g->rows->nblock; ++c)
        if (cd_flat_bodies(&g->rows->block[c], body) == 1 && f->when[body[0]] < 0) discover(f, body[0], -1, c);
    while (f->count < g->nbody || head < f->count) {
        if (head == f->count) {
            while (f->when[root] >= 0) ++root;
            discover(f, root, -1, -1);
        }
        const int b = f->visit[head++];
        for (int i = f->start[b]; i < f->start[b + 1]; ++i) {
            const int c = f->list[i], n = cd_flat_bodies(&g->rows->block[c], body);
            for (int k = 0; k < n; ++k)
                if (f->when[body[k]] < 0) discover(f, body[k], b, c);
        }
    }
}

// The body after which a constraint may go: the earliest discovered one on the ways of its bodies to their common ancestor.
static int last_body(const forest* f, int* body, int n)
{
    int last = -1;
    for (;;) {
        bool same    = true;
        int  deepest = 0;
        for (int k = 1; k < n; ++k) {
            same &= body[k] == body[0];
            if (body[k] >= 0 && (body[deepest] < 0 || f->depth[body[k]] > f->depth[body[deepest]])) deepest = k;
        }
        if (n == 1) same = last >= 0;
        if (same || body[deepest] < 0) return last;
        const int b = body[deepest];
        if (last < 0 || f->when[b] < f->when[last]) last = b;
        for (int k = 0; k < n; ++k)
            if (body[k] == b) body[k] = f->parent[b];
    }
}

bool cd_order_tree(const cd_flat_graph* g, int* order)
{
    forest f = {0};
    int    body[CD_BLOCK_BODIES], at = 0;
    if (!allocate_forest(&f, g)) return free_forest(&f), false;
    list_constraints(&f, g);
    grow(&f, g);
    for (int b = 0; b <= g->nbody; ++b) f.after[b] = -1;
    for (int c = g->rows->nblock - 1; c >= 0; --c) {
        const int n = cd_flat_bodies(&g->rows->block[c], body);
        const int b = n == 0 ? -1 : last_body(&f, body, n);
        const int slot = b < 0 ? g->nbody : b;  // acts on nothing: at the end
        f.next[c]      = f.after[slot];
        f.after[slot]  = c;
    }
    for (int i = g->nbody - 1; i >= 0; --i) {
        const int b = f.visit[i];
        order[at++] = b;
        for (int c = f.after[b]; c >= 0; c = f.next[c]) order[at++] = g->nbody + c;
    }
    for (int c = f.after[g->nbody]; c >= 0; c = f.next[c]) order[at++] = g->nbody + c;
    free_forest(&f);
    return true;
}
