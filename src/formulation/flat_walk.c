// SPDX-License-Identifier: BSD-3-Clause
// Breadth first along constraints, but bodies that lead to no new ones as soon as they are met: so loops are closed
// before the walk goes on, and few bodies are met at a time that have not been passed (King 1970, Int. J. Numer. Meth.
// Eng. 2(4)).
#include "formulation/flat_graph.h"

#include <stdlib.h>
#include <string.h>

typedef struct walk {
    const cd_flat_graph* g;
    int*                 visit;
    int *                queue, *closing; // (nbody) met, in that order; those of them that lead to no new ones
    int * far, *fresh; // (nbody) steps from where the walk began, -1: not met; ends of its constraints that are not met
    bool* passed;      // (nbody)
    int   count, met, closed, nclosing;
} walk;

static bool allocate(walk* w)
{
    const size_t n = (size_t)w->g->nbody;
    w->queue       = cd_allocate(n, sizeof *w->queue);
    w->closing     = cd_allocate(n, sizeof *w->closing);
    w->far         = cd_allocate(n, sizeof *w->far);
    w->fresh       = cd_allocate(n, sizeof *w->fresh);
    w->passed      = cd_allocate(n, sizeof *w->passed);
    return w->queue && w->closing && w->far && w->fresh && w->passed;
}

static void release(walk* w) { free(w->queue), free(w->closing), free(w->far), free(w->fresh), free(w->passed); }

// Nothing met yet.
static void begin(walk* w)
{
    const cd_flat_graph* g = w->g;
    w->count = w->met = w->closed = w->nclosing = 0;
    for (int b = 0; b < g->nbody; ++b) w->far[b] = -1;
    memset(w->fresh, 0, (size_t)g->nbody * sizeof *w->fresh);
    memset(w->passed, 0, (size_t)g->nbody * sizeof *w->passed);
    for (int c = 0; c < g->nconstraint; ++c)
        for (int k = g->first[c]; k < g->first[c + 1]; ++k) w->fresh[g->body[k]] += g->first[c + 1] - g->first[c];
}

static void meet(walk* w, int b, int far)
{
    const cd_flat_graph* g = w->g;
    if (w->far[b] >= 0) return;
    w->far[b]          = far;
    w->queue[w->met++] = b;
    for (int i = g->start[b]; i < g->start[b + 1]; ++i)
        for (int k = g->first[g->list[i]]; k < g->first[g->list[i] + 1]; ++k)
            if (--w->fresh[g->body[k]] == 0 && w->far[g->body[k]] >= 0) w->closing[w->nclosing++] = g->body[k];
}

static void pass(walk* w, int b)
{
    const cd_flat_graph* g = w->g;
    if (w->passed[b]) return;
    w->passed[b]         = true;
    w->visit[w->count++] = b;
    for (int i = g->start[b]; i < g->start[b + 1]; ++i)
        for (int k = g->first[g->list[i]]; k < g->first[g->list[i] + 1]; ++k) meet(w, g->body[k], w->far[b] + 1);
}

// All that hangs together with those met from `head` of the queue on. Returns the steps.
static int spread(walk* w, int head)
{
    int most = 0;
    for (; head < w->met; ++head) {
        while (w->closed < w->nclosing) pass(w, w->closing[w->closed++]);
        pass(w, w->queue[head]);
        if (w->far[w->queue[head]] > most) most = w->far[w->queue[head]];
    }
    while (w->closed < w->nclosing) pass(w, w->closing[w->closed++]);
    return most;
}

// The body last met on a plain walk from b: an end of a part that floats. It is met in neither walk yet.
static int end_of(const walk* w, int b, int* queue, bool* seen)
{
    const cd_flat_graph* g = w->g;
    int                  n = 0;
    queue[n++]             = b;
    seen[b]                = true;
    for (int head = 0; head < n; ++head)
        for (int i = g->start[queue[head]]; i < g->start[queue[head] + 1]; ++i)
            for (int k = g->first[g->list[i]]; k < g->first[g->list[i] + 1]; ++k) {
                if (!seen[g->body[k]]) queue[n++] = g->body[k];
                seen[g->body[k]] = true;
            }
    return queue[n - 1];
}

int cd_flat_walk(const cd_flat_graph* g, int* visit)
{
    walk  w     = {.g = g, .visit = visit};
    bool* seen  = cd_allocate((size_t)g->nbody, sizeof *seen);
    int*  queue = cd_allocate((size_t)g->nbody, sizeof *queue);
    int   most  = -1;
    if (allocate(&w) && seen && queue) {
        begin(&w);
        for (int c = 0; c < g->nconstraint; ++c)
            for (int k = g->first[c]; g->grounded[c] && k < g->first[c + 1]; ++k) meet(&w, g->body[k], 1);
        most = spread(&w, 0);
        for (int b = 0; b < g->nbody; ++b) {
            if (w.far[b] >= 0) continue;
            const int head = w.met;
            meet(&w, end_of(&w, b, queue, seen), 1);
            const int steps = spread(&w, head);
            if (steps > most) most = steps;
        }
    }
    release(&w);
    free(seen), free(queue);
    return most;
}
