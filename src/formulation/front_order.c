// SPDX-License-Identifier: BSD-3-Clause
// Who leaves next, of the links whose children are gone. Eliminating a link makes its parent and its ports meet each
// other, so those of least ports go first: one loop after the other. Where loops tie branches of the tree to each other
// all along, as in nets, that would follow one branch to its root, with all it passes as ports; there the deepest leave
// first, row by row.
#include "formulation/front_order.h"

#include <math.h>
#include <stdlib.h>

static bool set_add(cd_link_set* s, int x)
{
    for (int i = 0; i < s->count; ++i)
        if (s->item[i] == x) return true;
    if (!cd_grow((void**)&s->item, &s->capacity, s->count, sizeof(int))) return false;
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

static void queue_take(cd_leaving* q, int x)
{
    if (q->level[x] < 0) return;
    if (q->before[x] >= 0)
        q->next[q->before[x]] = q->next[x];
    else
        q->first[q->level[x]] = q->next[x];
    if (q->next[x] >= 0) q->before[q->next[x]] = q->before[x];
    q->level[x] = -1;
}

static void queue_put(cd_leaving* q, int x, int level)
{
    if (level >= q->n) level = q->n - 1;
    queue_take(q, x);
    q->level[x]  = level;
    q->before[x] = -1;
    q->next[x]   = q->first[level];
    if (q->next[x] >= 0) q->before[q->next[x]] = x;
    q->first[level] = x;
    if (level < q->least) q->least = level;
}

static int queue_pop(cd_leaving* q)
{
    while (q->least < q->n && q->first[q->least] < 0) ++q->least;
    if (q->least == q->n) return -1;
    const int x = q->first[q->least];
    queue_take(q, x);
    return x;
}

bool cd_front_order_create(cd_front_order* o, int n)
{
    *o          = (cd_front_order){.met   = cd_allocate((size_t)n, sizeof(cd_link_set)),
                                   .slots = cd_allocate((size_t)n, sizeof(cd_link_set))};
    int** all[] = {&o->children, &o->when,   &o->who,      &o->rank,   &o->mark,
                   &o->q.first,  &o->q.next, &o->q.before, &o->q.level};
    bool  good  = o->met && o->slots;
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        good = (*all[i] = cd_allocate((size_t)n, sizeof(int))) != NULL && good;
    o->q.n = n;
    for (int i = 0; good && i < n; ++i) o->q.first[i] = o->q.level[i] = -1;
    return good;
}

void cd_front_order_release(cd_front_order* o, int n)
{
    for (int i = 0; o->met && i < n; ++i) free(o->met[i].item);
    for (int i = 0; o->slots && i < n; ++i) free(o->slots[i].item);
    free(o->met), free(o->slots), free(o->children), free(o->when), free(o->who), free(o->rank), free(o->mark);
    free(o->q.first), free(o->q.next), free(o->q.before), free(o->q.level);
}

// All ends of a constraint meet each other.
static bool meet_ends(cd_front_order* o, const cd_row_block* b)
{
    for (int i = 0; i < b->nend; ++i)
        for (int j = 0; j < b->nend; ++j)
            if (b->link[i] >= 0 && b->link[j] >= 0 && b->link[i] != b->link[j] &&
                !set_add(&o->met[b->link[i]], b->link[j]))
                return false;
    return true;
}

static bool set_join(cd_front_order* o, int link, const cd_link_set* others)
{
    cd_link_set* s = &o->met[link];
    ++o->round;
    o->mark[link] = o->round;
    for (int i = 0; i < s->count; ++i) o->mark[s->item[i]] = o->round;
    for (int i = 0; i < others->count; ++i) {
        const int x = others->item[i];
        if (o->mark[x] == o->round) continue;
        if (!cd_grow((void**)&s->item, &s->capacity, s->count, sizeof(int))) return false;
        s->item[s->count++] = x;
    }
    return true;
}

static int level_of(const cd_front_order* o, int link, bool deepest)
{
    return deepest ? o->rank[link] : o->met[link].count;
}

// A link leaves: its parent and its ports meet each other.
static bool leave(cd_front_order* o, int link, bool deepest)
{
    const int    parent = o->up[link];
    cd_link_set* gone   = &o->met[link];
    cd_link_set* slots  = &o->slots[link];
    if (!(slots->item = cd_allocate((size_t)gone->count + 1, sizeof(int)))) return false;
    slots->item[slots->count++] = link;
    for (int i = 0; i < gone->count; ++i) slots->item[slots->count++] = gone->item[i];
    if (parent >= 0 && !set_add(gone, parent)) return false;
    for (int i = 0; i < gone->count; ++i) {
        const int other = gone->item[i];
        set_remove(&o->met[other], link);
        if (!set_join(o, other, gone)) return false;
        if (o->q.level[other] >= 0) queue_put(&o->q, other, level_of(o, other, deepest));
    }
    free(gone->item);
    *gone = (cd_link_set){0};
    return true;
}

// Rank of a link: how much deeper the deepest one is. Parents may have higher numbers than their children: ways to the
// root are walked once.
static void rank_by_depth(cd_front_order* o, int n)
{
    int* depth   = o->rank;
    int  deepest = 0;
    for (int i = 0; i < n; ++i) depth[i] = -1;
    for (int i = 0; i < n; ++i) {
        int above = 0, at = i;
        for (; at >= 0 && depth[at] < 0; at = o->up[at]) ++above;
        above += at >= 0 ? depth[at] + 1 : 0;
        for (at = i; at >= 0 && depth[at] < 0; at = o->up[at]) depth[at] = --above;
        if (depth[i] > deepest) deepest = depth[i];
    }
    for (int i = 0; i < n; ++i) o->rank[i] = deepest - depth[i];
}

bool cd_front_order_links(cd_front_order* o, const cd_rows* rows, cd_fronts* f, bool deepest, double most)
{
    const int n = f->n;
    o->up       = f->up;
    o->q.least  = n;
    f->work     = 0;
    if (deepest) rank_by_depth(o, n);
    for (int c = 0; c < rows->nblock; ++c)
        if (!meet_ends(o, &rows->block[c])) return false;
    for (int i = 0; i < n; ++i)
        if (o->up[i] >= 0) ++o->children[o->up[i]];
    for (int i = 0; i < n; ++i)
        if (o->children[i] == 0) queue_put(&o->q, i, level_of(o, i, deepest));
    for (int k = 0; k < n; ++k) {
        const int link = queue_pop(&o->q), parent = o->up[link];
        o->when[link] = k;
        o->who[k]     = link;
        if (!leave(o, link, deepest)) return false;
        if (parent >= 0 && --o->children[parent] == 0) queue_put(&o->q, parent, level_of(o, parent, deepest));
        f->work += f->nv[link] * 36.0 * o->slots[link].count * o->slots[link].count;
        if (f->work > most) {
            f->work = INFINITY;
            return true;
        }
    }
    return true;
}
