// SPDX-License-Identifier: BSD-3-Clause
// Which bodies meet in which front. Links leave by least number of ports among those whose children are gone; eliminating a link makes its
// parent and its ports meet each other:
//
//   bodies(k) = link(k), and everything it met so far;     after it: parent instead of the link
//   target(k) = the one of these that leaves first
//
// which is a tree of fronts; it is walked in postorder, so that updates live on a stack.
#include "formulation/front.h"

#include <stdlib.h>
#include <string.h>

// A set of links, unordered.
typedef struct set {
    int* item;
    int  count, capacity;
} set;

static bool set_add(set* s, int x)
{
    for (int i = 0; i < s->count; ++i)
        if (s->item[i] == x) return true;
    if (!cd_grow((void**)&s->item, &s->capacity, s->count, sizeof(int))) return false;
    s->item[s->count++] = x;
    return true;
}

static void set_remove(set* s, int x)
{
    for (int i = 0; i < s->count; ++i)
        if (s->item[i] == x) {
            s->item[i] = s->item[--s->count];
            return;
        }
}

// Links that can leave next, in lists by number of ports. Numbers change while a link waits: it moves to another list.
typedef struct queue {
    int  n;
    int *first, *next, *before, *level;  // level -1: not in the queue
    int  least;
} queue;

static void queue_take(queue* q, int x)
{
    if (q->level[x] < 0) return;
    if (q->before[x] >= 0) q->next[q->before[x]] = q->next[x];
    else q->first[q->level[x]] = q->next[x];
    if (q->next[x] >= 0) q->before[q->next[x]] = q->before[x];
    q->level[x] = -1;
}

static void queue_put(queue* q, int x, int level)
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

static int queue_pop(queue* q)
{
    while (q->least < q->n && q->first[q->least] < 0) ++q->least;
    if (q->least == q->n) return -1;
    const int x = q->first[q->least];
    queue_take(q, x);
    return x;
}

typedef struct ordering {
    const cardan_model* m;
    const int*          up;        // (n) parents
    set*                met;       // (nlink) bodies that a link meets
    int*                children;  // (nlink) not gone yet
    int *               when, *who; // (nlink) order of leaving; who left k-th
    set*                slots;     // (nlink) bodies of the front of a link, as it left
    queue               q;
} ordering;

static bool allocate(ordering* o, int n)
{
    o->met      = cd_allocate((size_t)n, sizeof(set));
    o->slots    = cd_allocate((size_t)n, sizeof(set));
    o->children = cd_allocate((size_t)n, sizeof(int));
    o->when     = cd_allocate((size_t)n, sizeof(int));
    o->who      = cd_allocate((size_t)n, sizeof(int));
    o->q        = (queue){.n      = n,
                          .first  = cd_allocate((size_t)n, sizeof(int)),
                          .next   = cd_allocate((size_t)n, sizeof(int)),
                          .before = cd_allocate((size_t)n, sizeof(int)),
                          .level  = cd_allocate((size_t)n, sizeof(int))};
    if (!o->met || !o->slots || !o->children || !o->when || !o->who || !o->q.first || !o->q.next || !o->q.before || !o->q.level) return false;
    for (int i = 0; i < n; ++i) o->q.first[i] = o->q.level[i] = -1;
    return true;
}

static void free_ordering(ordering* o, int n)
{
    for (int i = 0; o->met && i < n; ++i) free(o->met[i].item);
    for (int i = 0; o->slots && i < n; ++i) free(o->slots[i].item);
    free(o->met), free(o->slots), free(o->children), free(o->when), free(o->who);
    free(o->q.first), free(o->q.next), free(o->q.before), free(o->q.level);
}

// All ends of a constraint meet each other.
static bool meet_ends(ordering* o, const cd_row_block* b)
{
    for (int i = 0; i < b->nend; ++i)
        for (int j = 0; j < b->nend; ++j)
            if (b->link[i] >= 0 && b->link[j] >= 0 && b->link[i] != b->link[j] && !set_add(&o->met[b->link[i]], b->link[j])) return false;
    return true;
}

// A link leaves: its parent and its ports meet each other.
static bool leave(ordering* o, int link)
{
    const int parent = o->up[link];
    set*      gone   = &o->met[link];
    o->slots[link]   = (set){0};
    if (!set_add(&o->slots[link], link)) return false;
    for (int i = 0; i < gone->count; ++i)
        if (!set_add(&o->slots[link], gone->item[i])) return false;
    if (parent >= 0 && !set_add(gone, parent)) return false;
    for (int i = 0; i < gone->count; ++i) {
        set* s = &o->met[gone->item[i]];
        set_remove(s, link);
        for (int j = 0; j < gone->count; ++j)
            if (j != i && !set_add(s, gone->item[j])) return false;
        if (o->q.level[gone->item[i]] >= 0) queue_put(&o->q, gone->item[i], s->count);
    }
    return true;
}

static bool order_links(ordering* o, const cd_rows* rows, int n)
{
    for (int c = 0; c < rows->nblock; ++c)
        if (!meet_ends(o, &rows->block[c])) return false;
    for (int i = 0; i < n; ++i)
        if (o->up[i] >= 0) ++o->children[o->up[i]];
    o->q.least = n;
    for (int i = 0; i < n; ++i)
        if (o->children[i] == 0) queue_put(&o->q, i, o->met[i].count);
    for (int k = 0; k < n; ++k) {
        const int link = queue_pop(&o->q), parent = o->up[link];
        o->when[link]  = k;
        o->who[k]      = link;
        if (!leave(o, link)) return false;
        if (parent >= 0 && --o->children[parent] == 0) queue_put(&o->q, parent, o->met[parent].count);
    }
    return true;
}

// The link whose front takes what a front leaves, or -1.
static int heir(const ordering* o, int link)
{
    const int parent = o->up[link];
    int       best   = parent;
    for (int i = 1; i < o->slots[link].count; ++i) {
        const int port = o->slots[link].item[i];
        if (best < 0 || o->when[port] < o->when[best]) best = port;
    }
    return best;
}

// The child that most ends in goes first: what the others leave then waits on the stack for itself alone.
static void largest_first(int* first, int* next, const int* under)
{
    int before = -1, best = *first, best_before = -1;
    for (int i = *first; i >= 0; before = i, i = next[i])
        if (under[i] > under[best]) best = i, best_before = before;
    if (best_before < 0) return;
    next[best_before] = next[best];
    next[best]        = *first;
    *first            = best;
}

// Postorder over heirs: fronts of the links, numbered. `front` (nlink): number of a link's front.
static bool postorder(const ordering* o, cd_fronts* f, int* front)
{
    const int n     = f->n;
    int*      first = cd_allocate((size_t)n + 1, sizeof(int));
    int*      next  = cd_allocate((size_t)n, sizeof(int));
    int*      under = cd_allocate((size_t)n, sizeof(int));  // links that end in a front, itself included
    int*      stack = cd_allocate((size_t)n + 1, sizeof(int));
    if (!first || !next || !under || !stack) {
        free(first), free(next), free(under), free(stack);
        return false;
    }
    for (int i = 0; i <= n; ++i) first[i] = -1;
    for (int k = 0; k < n; ++k) under[k] = 1;
    for (int k = 0; k < n; ++k) {
        const int i = o->who[k], h = heir(o, i) >= 0 ? heir(o, i) : n;
        next[i]     = first[h];
        first[h]    = i;
        if (h < n) under[h] += under[i];
    }
    for (int h = 0; h <= n; ++h) largest_first(&first[h], next, under);
    int depth = 0, count = 0;
    stack[depth++] = n;
    while (depth > 0) {
        const int top = stack[depth - 1];
        if (first[top] >= 0) {
            stack[depth++] = first[top];
            first[top]     = next[first[top]];
            continue;
        }
        --depth;
        if (top == n) continue;
        front[top]       = count;
        f->plan[count++].link = top;
    }
    for (int k = 0; k < n; ++k) {
        const int h  = heir(o, f->plan[k].link);
        f->target[k] = h >= 0 ? front[h] : -1;
        ++f->plan[k].size;
        if (h < 0) continue;
        ++f->plan[front[h]].nchild;
        f->plan[front[h]].size += f->plan[k].size;
    }
    free(first), free(next), free(under), free(stack);
    return true;
}

static int slot_of(const ordering* o, int front_link, int link)
{
    for (int i = 0; i < o->slots[front_link].count; ++i)
        if (o->slots[front_link].item[i] == link) return i;
    return -1;
}

static bool fill_slots(const ordering* o, cd_fronts* f)
{
    int total = 0;
    for (int k = 0; k < f->n; ++k) {
        cd_front_plan* p = &f->plan[k];
        p->up            = f->up[p->link];
        p->joint         = f->joint[p->link];
        p->v             = f->v[p->link];
        p->nv            = f->nv[p->link];
        p->slot          = total;
        p->nslot         = o->slots[p->link].count;
        total += p->nslot;
    }
    f->slot_link = cd_allocate((size_t)total, sizeof(int));
    f->slot_to   = cd_allocate((size_t)total, sizeof(int));
    if (!f->slot_link || !f->slot_to) return false;
    for (int k = 0; k < f->n; ++k) {
        cd_front_plan* p = &f->plan[k];
        p->straight      = true;
        for (int i = 0; i < p->nslot; ++i) {
            const int body = o->slots[p->link].item[i], after = i == 0 ? p->up : body;
            const int to   = after >= 0 ? slot_of(o, f->plan[f->target[k]].link, after) : -1;
            f->slot_link[p->slot + i] = body;
            f->slot_to[p->slot + i]   = to;
            if (to < 0) continue;
            p->straight = p->straight && to == p->left;
            ++p->left;
        }
        p->straight = p->straight && f->target[k] >= 0 && p->left == f->plan[f->target[k]].nslot;
    }
    return true;
}

// The front where a constraint opens: of its ends' fronts the first. -1: it feels nothing.
static int opens_in(const cd_row_block* b, const int* front)
{
    int first = -1;
    for (int i = 0; i < b->nend; ++i)
        if (b->link[i] >= 0 && (first < 0 || front[b->link[i]] < first)) first = front[b->link[i]];
    return first;
}

static bool fill_blocks(const ordering* o, const cd_rows* rows, const int* front, cd_fronts* f)
{
    int total = 0;
    for (int c = 0; c < rows->nblock; ++c) {
        f->first_end[c] = total;
        total += rows->block[c].nend;
        const int k = opens_in(&rows->block[c], front);
        if (k >= 0) ++f->plan[k].nblock;
    }
    f->first_end[rows->nblock] = total;
    for (int k = 1; k < f->n; ++k) f->plan[k].block = f->plan[k - 1].block + f->plan[k - 1].nblock;
    int* next   = cd_allocate((size_t)f->n, sizeof(int));
    f->end_slot = cd_allocate((size_t)total, sizeof(int));
    if (!next || !f->end_slot) {
        free(next);
        return false;
    }
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        const int           k = opens_in(b, front);
        if (k < 0) continue;
        f->block[f->plan[k].block + next[k]++] = c;
        for (int i = 0; i < b->nend; ++i) f->end_slot[f->first_end[c] + i] = b->link[i] >= 0 ? slot_of(o, f->plan[k].link, b->link[i]) : -1;
    }
    free(next);
    return true;
}

// Numbers that the update of front k takes on the stack, with `open` rows.
static size_t update_size(const cd_fronts* f, int k, int open)
{
    const int n = 6 * f->plan[k].nslot + CD_FRONT_WAITING;
    return cd_packed_size(n) + (size_t)open * (size_t)n;
}

enum { MOST_WAIT_FOR = 96 };  // scalars that a front has room for: many arms of one hub rarely pass on any, and more are refused

// Sizes: rows that can be open, the widest front, the deepest stack, the longest tape. After a front no more rows are open than it has unknowns, and without
// open rows nothing waits.
static bool measure(const cardan_model* m, const cd_rows* rows, cd_fronts* f)
{
    size_t* taken = cd_allocate((size_t)f->n, sizeof(size_t));  // by the updates that a front will take
    int*    wait  = cd_allocate((size_t)f->n, sizeof(int));     // scalars that they may bring
    bool    good  = taken && wait;
    size_t  depth = 0;
    for (int k = 0; good && k < f->n; ++k) {
        cd_front_plan* p = &f->plan[k];
        for (int i = p->block; i < p->block + p->nblock; ++i) p->most_rows += rows->block[f->block[i]].nrow;
        if (p->link >= m->nlink) p->most_rows += 6;
        const int after = 6 * p->nslot + CD_FRONT_WAITING, wide = 6 * p->nslot + wait[k] + CD_FRONT_WAITING + 6;
        const int open = p->most_rows < after ? p->most_rows : after;
        if (wide > f->widest) f->widest = wide;
        if (p->most_rows > f->most_open) f->most_open = p->most_rows;
        depth += update_size(f, k, open) - taken[k];
        if (depth > f->stack) f->stack = depth;
        if (f->target[k] >= 0) {
            int* there = &wait[f->target[k]];
            if (open > 0 && *there < MOST_WAIT_FOR) *there += CD_FRONT_WAITING;
            f->plan[f->target[k]].most_rows += open;
            taken[f->target[k]] += update_size(f, k, open);
        } else {
            depth -= update_size(f, k, open);
        }
        f->tape += (size_t)p->nv * (size_t)(3 * wide + 6 + p->most_rows) + 3;
    }
    f->tape += (size_t)(4 * CD_FRONT_WAITING * (2 * f->widest + f->most_open));
    free(taken), free(wait);
    return good;
}

static bool hang_inward(const cardan_model* m, cd_fronts* f)
{
    for (int i = 0; i < m->nlink; ++i) {
        f->up[i]    = m->link[i].parent;
        f->joint[i] = i;
        f->v[i]  = m->link[i].v;
        f->nv[i] = m->link[i].nv;
    }
    return true;
}

static bool analyse(const cardan_model* m, const cd_rows* rows, cd_fronts* f, int most, bool (*hang)(const cardan_model*, cd_fronts*))
{
    const size_t n     = (size_t)most;
    int*         front = cd_allocate(n, sizeof(int));
    ordering     o     = {.m = m};
    *f                 = (cd_fronts){.n = m->nlink};
    int** const  all[] = {&f->up, &f->joint, &f->v, &f->nv, &f->target, &f->block, &f->first_end};
    const size_t room[] = {n, n, n, n, n, (size_t)rows->nblock, (size_t)rows->nblock + 1};
    bool         good   = front && allocate(&o, most);
    for (size_t i = 0; good && i < sizeof all / sizeof *all; ++i) good = (*all[i] = cd_allocate(room[i], sizeof(int))) != NULL;
    good = good && (f->plan = cd_allocate(n, sizeof *f->plan)) != NULL && hang(m, f);
    o.up = f->up;
    good = good && order_links(&o, rows, f->n) && postorder(&o, f, front) && fill_slots(&o, f) && fill_blocks(&o, rows, front, f) && measure(m, rows, f);
    free_ordering(&o, most);
    free(front);
    return good;
}

bool cd_fronts_analyse(const cardan_model* m, const cd_rows* rows, cd_fronts* f) { return analyse(m, rows, f, m->nlink, hang_inward); }

bool cd_fronts_analyse_outward(const cardan_model* m, const cd_rows* rows, cd_fronts* f)
{
    int most = m->nlink;
    for (int i = 0; i < m->nlink; ++i) most += m->link[i].parent < 0;
    return analyse(m, rows, f, most, cd_fronts_hang);
}

void cd_fronts_release(cd_fronts* f)
{
    void* const all[] = {f->up, f->joint, f->v, f->nv, f->target, f->plan, f->slot_link, f->slot_to, f->block, f->first_end, f->end_slot};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) free(all[i]);
}
