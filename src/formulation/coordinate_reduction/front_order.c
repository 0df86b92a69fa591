// SPDX-License-Identifier: BSD-3-Clause
// Choose the next link to eliminate among those whose children are eliminated. The elimination of a link couples its
// parent and its ports, so that links with fewest ports are eliminated first: one loop after the other. Where loops
// couple branches of the tree along their whole length, as in nets, this would follow one branch to its root with all
// links passed as ports; there the deepest links are eliminated first, level by level.
#include "formulation/coordinate_reduction/front_order.h"

#include <math.h>
#include <stdlib.h>

static bool set_add(cd_link_set* s, int x)
{
    for (int i = 0; i < s->count; ++i)
        if (s->item[i] == x) return true;
    if (!cd_array_grow((void**)&s->item, &s->capacity, s->count, sizeof(int))) return false;
    s->item[s->count++] = x;
    return true;
}

static void set_remove(cd_link_set* s, int x)
{
    for (int i = 0; i < s->count; ++i)
        if (s->item[i] == x) {
            s->item[i] = s->item[--s->count];
            return;
        }
}

static void queue_remove(cd_link_queue* q, int x)
{
    if (q->level[x] < 0) return;
    if (q->previous[x] >= 0)
        q->next[q->previous[x]] = q->next[x];
    else
        q->first[q->level[x]] = q->next[x];
    if (q->next[x] >= 0) q->previous[q->next[x]] = q->previous[x];
    q->level[x] = -1;
}

static void queue_put(cd_link_queue* q, int x, int level)
{
    if (level >= q->n) level = q->n - 1;
    queue_remove(q, x);
    q->level[x]    = level;
    q->previous[x] = -1;
    q->next[x]     = q->first[level];
    if (q->next[x] >= 0) q->previous[q->next[x]] = x;
    q->first[level] = x;
    if (level < q->min_level) q->min_level = level;
}

static int queue_pop(cd_link_queue* q)
{
    while (q->min_level < q->n && q->first[q->min_level] < 0) ++q->min_level;
    if (q->min_level == q->n) return -1;
    const int x = q->first[q->min_level];
    queue_remove(q, x);
    return x;
}

bool cd_front_order_create(cd_front_order* o, int n)
{
    *o          = (cd_front_order){.adjacent = cd_allocate((size_t)n, sizeof(cd_link_set)),
                                   .slots    = cd_allocate((size_t)n, sizeof(cd_link_set))};
    int** all[] = {&o->nchild,      &o->position,   &o->link_at,        &o->depth_rank, &o->mark,
                   &o->queue.first, &o->queue.next, &o->queue.previous, &o->queue.level};
    bool  good  = o->adjacent && o->slots;
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        good = (*all[i] = cd_allocate((size_t)n, sizeof(int))) != NULL && good;
    o->queue.n = n;
    for (int i = 0; good && i < n; ++i) o->queue.first[i] = o->queue.level[i] = -1;
    return good;
}

void cd_front_order_release(cd_front_order* o, int n)
{
    for (int i = 0; o->adjacent && i < n; ++i) free(o->adjacent[i].item);
    for (int i = 0; o->slots && i < n; ++i) free(o->slots[i].item);
    free(o->adjacent), free(o->slots), free(o->nchild), free(o->position), free(o->link_at), free(o->depth_rank),
        free(o->mark);
    free(o->queue.first), free(o->queue.next), free(o->queue.previous), free(o->queue.level);
}

// Couple all ends of a constraint to each other.
static bool connect_ends(cd_front_order* o, const cd_row_block* b)
{
    for (int i = 0; i < b->nend; ++i)
        for (int j = 0; j < b->nend; ++j)
            if (b->link[i] >= 0 && b->link[j] >= 0 && b->link[i] != b->link[j] &&
                !set_add(&o->adjacent[b->link[i]], b->link[j]))
                return false;
    return true;
}

static bool set_join(cd_front_order* o, int link, const cd_link_set* others)
{
    cd_link_set* s = &o->adjacent[link];
    ++o->stamp;
    o->mark[link] = o->stamp;
    for (int i = 0; i < s->count; ++i) o->mark[s->item[i]] = o->stamp;
    for (int i = 0; i < others->count; ++i) {
        const int x = others->item[i];
        if (o->mark[x] == o->stamp) continue;
        if (!cd_array_grow((void**)&s->item, &s->capacity, s->count, sizeof(int))) return false;
        s->item[s->count++] = x;
    }
    return true;
}

static int level_of(const cd_front_order* o, int link, bool deepest_first)
{
    return deepest_first ? o->depth_rank[link] : o->adjacent[link].count;
}

// Eliminate a link: couple its parent and its ports to each other.
static bool eliminate_link(cd_front_order* o, int link, bool deepest_first)
{
    const int    parent   = o->parent[link];
    cd_link_set* adjacent = &o->adjacent[link];
    cd_link_set* slots    = &o->slots[link];
    if (!(slots->item = cd_allocate((size_t)adjacent->count + 1, sizeof(int)))) return false;
    slots->item[slots->count++] = link;
    for (int i = 0; i < adjacent->count; ++i) slots->item[slots->count++] = adjacent->item[i];
    if (parent >= 0 && !set_add(adjacent, parent)) return false;
    for (int i = 0; i < adjacent->count; ++i) {
        const int other = adjacent->item[i];
        set_remove(&o->adjacent[other], link);
        if (!set_join(o, other, adjacent)) return false;
        if (o->queue.level[other] >= 0) queue_put(&o->queue, other, level_of(o, other, deepest_first));
    }
    free(adjacent->item);
    *adjacent = (cd_link_set){0};
    return true;
}

// Compute the rank of a link: depth of the deepest link minus its depth. Parents may have higher indices than their
// children; each path to the root is traversed once.
static void rank_by_depth(cd_front_order* o, int n)
{
    int* depth   = o->depth_rank;
    int  deepest = 0;
    for (int i = 0; i < n; ++i) depth[i] = -1;
    for (int i = 0; i < n; ++i) {
        int above = 0, at = i;
        for (; at >= 0 && depth[at] < 0; at = o->parent[at]) ++above;
        above += at >= 0 ? depth[at] + 1 : 0;
        for (at = i; at >= 0 && depth[at] < 0; at = o->parent[at]) depth[at] = --above;
        if (depth[i] > deepest) deepest = depth[i];
    }
    for (int i = 0; i < n; ++i) o->depth_rank[i] = deepest - depth[i];
}

bool cd_front_order_compute(cd_front_order* o, const cd_rows* rows, cd_fronts* f, bool deepest_first,
                            double max_operations)
{
    const int n        = f->n;
    o->parent          = f->parent;
    o->queue.min_level = n;
    f->operations      = 0;
    if (deepest_first) rank_by_depth(o, n);
    for (int c = 0; c < rows->nblock; ++c)
        if (!connect_ends(o, &rows->block[c])) return false;
    for (int i = 0; i < n; ++i)
        if (o->parent[i] >= 0) ++o->nchild[o->parent[i]];
    for (int i = 0; i < n; ++i)
        if (o->nchild[i] == 0) queue_put(&o->queue, i, level_of(o, i, deepest_first));
    for (int k = 0; k < n; ++k) {
        const int link = queue_pop(&o->queue), parent = o->parent[link];
        o->position[link] = k;
        o->link_at[k]     = link;
        if (!eliminate_link(o, link, deepest_first)) return false;
        if (parent >= 0 && --o->nchild[parent] == 0) queue_put(&o->queue, parent, level_of(o, parent, deepest_first));
        f->operations += f->nv[link] * 36.0 * o->slots[link].count * o->slots[link].count;
        if (f->operations > max_operations) {
            f->operations = INFINITY;
            return true;
        }
    }
    return true;
}
