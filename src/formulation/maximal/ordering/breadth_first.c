// SPDX-License-Identifier: BSD-3-Clause
// Breadth-first traversal along constraints, in which bodies that lead to no new ones are visited as soon as they are
// found: loops are closed before the traversal proceeds, and the front of found but unvisited bodies is small (King
// 1970, Int. J. Numer. Meth. Eng. 2(4)).
#include "formulation/maximal/kkt_graph.h"

#include <stdlib.h>
#include <string.h>

typedef struct breadth_first {
    const cd_kkt_graph* g;
    int*                order;
    int *               queue, *closing; // (nbody) found bodies, in that order; those of them that lead to no new ones
    int *               depth,
        *nunmet_end;  // (nbody) distance from the start, -1: not found; number of ends of its constraints not yet found
    bool* is_visited; // (nbody)
    int   count, nmet, nclosing_done, nclosing;
} breadth_first;

static bool allocate(breadth_first* w)
{
    const size_t n = (size_t)w->g->nbody;
    w->queue       = cd_allocate(n, sizeof *w->queue);
    w->closing     = cd_allocate(n, sizeof *w->closing);
    w->depth       = cd_allocate(n, sizeof *w->depth);
    w->nunmet_end  = cd_allocate(n, sizeof *w->nunmet_end);
    w->is_visited  = cd_allocate(n, sizeof *w->is_visited);
    return w->queue && w->closing && w->depth && w->nunmet_end && w->is_visited;
}

static void release(breadth_first* w)
{
    free(w->queue), free(w->closing), free(w->depth), free(w->nunmet_end), free(w->is_visited);
}

// Reset: no body found.
static void reset(breadth_first* w)
{
    const cd_kkt_graph* g = w->g;
    w->count = w->nmet = w->nclosing_done = w->nclosing = 0;
    for (int b = 0; b < g->nbody; ++b) w->depth[b] = -1;
    memset(w->nunmet_end, 0, (size_t)g->nbody * sizeof *w->nunmet_end);
    memset(w->is_visited, 0, (size_t)g->nbody * sizeof *w->is_visited);
    for (int c = 0; c < g->nconstraint; ++c)
        for (int k = g->body_start[c]; k < g->body_start[c + 1]; ++k)
            w->nunmet_end[g->body[k]] += g->body_start[c + 1] - g->body_start[c];
}

static void discover(breadth_first* w, int b, int depth)
{
    const cd_kkt_graph* g = w->g;
    if (w->depth[b] >= 0) return;
    w->depth[b]         = depth;
    w->queue[w->nmet++] = b;
    for (int i = g->constraint_start[b]; i < g->constraint_start[b + 1]; ++i)
        for (int k = g->body_start[g->constraint[i]]; k < g->body_start[g->constraint[i] + 1]; ++k)
            if (--w->nunmet_end[g->body[k]] == 0 && w->depth[g->body[k]] >= 0) w->closing[w->nclosing++] = g->body[k];
}

static void visit_body(breadth_first* w, int b)
{
    const cd_kkt_graph* g = w->g;
    if (w->is_visited[b]) return;
    w->is_visited[b]     = true;
    w->order[w->count++] = b;
    for (int i = g->constraint_start[b]; i < g->constraint_start[b + 1]; ++i)
        for (int k = g->body_start[g->constraint[i]]; k < g->body_start[g->constraint[i] + 1]; ++k)
            discover(w, g->body[k], w->depth[b] + 1);
}

// Traverse the components of the bodies found from `head` of the queue on. Returns the largest distance.
static int traverse_component(breadth_first* w, int head)
{
    int max_depth = 0;
    for (; head < w->nmet; ++head) {
        while (w->nclosing_done < w->nclosing) visit_body(w, w->closing[w->nclosing_done++]);
        visit_body(w, w->queue[head]);
        if (w->depth[w->queue[head]] > max_depth) max_depth = w->depth[w->queue[head]];
    }
    while (w->nclosing_done < w->nclosing) visit_body(w, w->closing[w->nclosing_done++]);
    return max_depth;
}

// Return the last body of a plain breadth-first search from b: an end of a floating component, none of whose bodies has
// been found before in either search.
static int find_far_end(const breadth_first* w, int b, int* queue, bool* seen)
{
    const cd_kkt_graph* g = w->g;
    int                 n = 0;
    queue[n++]            = b;
    seen[b]               = true;
    for (int head = 0; head < n; ++head)
        for (int i = g->constraint_start[queue[head]]; i < g->constraint_start[queue[head] + 1]; ++i)
            for (int k = g->body_start[g->constraint[i]]; k < g->body_start[g->constraint[i] + 1]; ++k) {
                if (!seen[g->body[k]]) queue[n++] = g->body[k];
                seen[g->body[k]] = true;
            }
    return queue[n - 1];
}

int cd_kkt_breadth_first(const cd_kkt_graph* g, int* order)
{
    breadth_first w         = {.g = g, .order = order};
    bool*         seen      = cd_allocate((size_t)g->nbody, sizeof *seen);
    int*          queue     = cd_allocate((size_t)g->nbody, sizeof *queue);
    int           max_depth = -1;
    if (allocate(&w) && seen && queue) {
        reset(&w);
        for (int c = 0; c < g->nconstraint; ++c)
            for (int k = g->body_start[c]; g->grounded[c] && k < g->body_start[c + 1]; ++k) discover(&w, g->body[k], 1);
        max_depth = traverse_component(&w, 0);
        for (int b = 0; b < g->nbody; ++b) {
            if (w.depth[b] >= 0) continue;
            const int head = w.nmet;
            discover(&w, find_far_end(&w, b, queue, seen), 1);
            const int depth = traverse_component(&w, head);
            if (depth > max_depth) max_depth = depth;
        }
    }
    release(&w);
    free(seen), free(queue);
    return max_depth;
}
