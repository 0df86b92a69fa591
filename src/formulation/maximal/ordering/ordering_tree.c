// SPDX-License-Identifier: BSD-3-Clause
// Tree order: breadth-first tree over the bodies along constraints, from ground; bodies in reverse order, each followed
// by the constraint to its parent, which has full rank on this body alone. A constraint that closes a loop follows the
// last body on the paths of its ends to, but not including, their common ancestor. Good for trees and hubs.
#include "formulation/maximal/ordering/ordering.h"

#include <stdlib.h>

typedef struct forest {
    int *parent, *depth;                     // parent body, -1 at a root; distance from the root
    int *body_order, *position;              // bodies in order of discovery, and its inverse
    int *first_constraint, *next_constraint; // lists of the constraints after a body
    int  count;
} forest;

static bool allocate_forest(forest* f, const cd_kkt_graph* g)
{
    const size_t n = (size_t)g->nbody, m = (size_t)g->nconstraint;
    int** const  all[]  = {&f->parent,           &f->depth,          &f->body_order, &f->position,
                           &f->first_constraint, &f->next_constraint};
    const size_t room[] = {n, n, n, n, n + 1, m};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        if (!(*all[i] = cd_allocate(room[i], sizeof(int)))) return false;
    return true;
}

static void free_forest(forest* f)
{
    free(f->parent), free(f->depth), free(f->body_order), free(f->position), free(f->first_constraint),
        free(f->next_constraint);
}

static void discover(forest* f, int b, int parent)
{
    f->parent[b]              = parent;
    f->depth[b]               = parent < 0 ? 0 : f->depth[parent] + 1;
    f->position[b]            = f->count;
    f->body_order[f->count++] = b;
}

// Start at the bodies with a constraint to ground alone; then at the first body of every remaining component.
static void grow(forest* f, const cd_kkt_graph* g)
{
    int head = 0, root = 0;
    for (int b = 0; b < g->nbody; ++b) f->position[b] = -1;
    for (int c = 0; c < g->nconstraint; ++c)
        if (g->body_start[c + 1] - g->body_start[c] == 1 && f->position[g->body[g->body_start[c]]] < 0)
            discover(f, g->body[g->body_start[c]], -1);
    while (f->count < g->nbody || head < f->count) {
        if (head == f->count) {
            while (f->position[root] >= 0) ++root;
            discover(f, root, -1);
        }
        const int b = f->body_order[head++];
        for (int i = g->constraint_start[b]; i < g->constraint_start[b + 1]; ++i)
            for (int k = g->body_start[g->constraint[i]]; k < g->body_start[g->constraint[i] + 1]; ++k)
                if (f->position[g->body[k]] < 0) discover(f, g->body[k], b);
    }
}

// Return the body after which a constraint may be eliminated: the first discovered one on the paths of its ends to
// their common ancestor; -1 is ground.
static int last_body(const forest* f, const cd_kkt_graph* g, int c)
{
    int end[CD_ROW_BLOCK_BODIES_MAX + 1], n = 0, last = -1;
    for (int i = g->body_start[c]; i < g->body_start[c + 1]; ++i) end[n++] = g->body[i];
    if (g->grounded[c]) end[n++] = -1;
    for (;;) {
        bool same    = true;
        int  deepest = 0;
        for (int k = 1; k < n; ++k) {
            same &= end[k] == end[0];
            if (end[k] >= 0 && (end[deepest] < 0 || f->depth[end[k]] > f->depth[end[deepest]])) deepest = k;
        }
        if (same || end[deepest] < 0) return last;
        const int b = end[deepest];
        if (last < 0 || f->position[b] < f->position[last]) last = b;
        for (int k = 0; k < n; ++k)
            if (end[k] == b) end[k] = f->parent[b];
    }
}

static cd_ordering_status compute(const cd_kkt_graph* g, const cd_block_pattern* pattern, int* order)
{
    (void)pattern;
    forest f  = {0};
    int    at = 0;
    if (!allocate_forest(&f, g)) return free_forest(&f), CD_ORDERING_NO_MEMORY;
    grow(&f, g);
    for (int b = 0; b <= g->nbody; ++b) f.first_constraint[b] = -1;
    for (int c = g->nconstraint - 1; c >= 0; --c) {
        const int b              = g->body_start[c] == g->body_start[c + 1] ? -1 : last_body(&f, g, c);
        const int slot           = b < 0 ? g->nbody : b; // acts on no body: at the end
        f.next_constraint[c]     = f.first_constraint[slot];
        f.first_constraint[slot] = c;
    }
    for (int i = g->nbody - 1; i >= 0; --i) {
        order[at++] = f.body_order[i];
        for (int c = f.first_constraint[f.body_order[i]]; c >= 0; c = f.next_constraint[c]) order[at++] = g->nbody + c;
    }
    for (int c = f.first_constraint[g->nbody]; c >= 0; c = f.next_constraint[c]) order[at++] = g->nbody + c;
    free_forest(&f);
    return CD_ORDERING_OK;
}

const cd_ordering cd_ordering_tree = {
    "tree", "leaf body, the constraint to its parent, next body; the closure of a loop after its path", compute,
    .is_nonlocal = false};
