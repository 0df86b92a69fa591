// SPDX-License-Identifier: BSD-3-Clause
// Which bodies meet in which front. Links leave in an order (front_order.c); eliminating a link makes its parent and
// its ports meet each other:
//
//   bodies(k) = link(k), and everything it met so far;     after it: parent instead of the link
//   target(k) = the one of these that leaves first
//
// which is a tree of fronts; it is walked in postorder, so that updates live on a stack.
#include "formulation/front_order.h"

#include <math.h>
#include <stdlib.h>

// The link whose front takes what a front leaves, or -1.
static int heir(const cd_front_order* o, int link)
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
static bool postorder(const cd_front_order* o, cd_fronts* f, int* front)
{
    const int n     = f->n;
    int*      first = cd_allocate((size_t)n + 1, sizeof(int));
    int*      next  = cd_allocate((size_t)n, sizeof(int));
    int*      under = cd_allocate((size_t)n, sizeof(int)); // links that end in a front, itself included
    int*      stack = cd_allocate((size_t)n + 1, sizeof(int));
    if (!first || !next || !under || !stack) {
        free(first), free(next), free(under), free(stack);
        return false;
    }
    for (int i = 0; i <= n; ++i) first[i] = -1;
    for (int k = 0; k < n; ++k) under[k] = 1;
    for (int k = 0; k < n; ++k) {
        const int i = o->who[k], h = heir(o, i) >= 0 ? heir(o, i) : n;
        next[i]  = first[h];
        first[h] = i;
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
        front[top]            = count;
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

static int slot_of(const cd_front_order* o, int front_link, int link)
{
    for (int i = 0; i < o->slots[front_link].count; ++i)
        if (o->slots[front_link].item[i] == link) return i;
    return -1;
}

static bool fill_slots(const cd_front_order* o, cd_fronts* f)
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
            const int to              = after >= 0 ? slot_of(o, f->plan[f->target[k]].link, after) : -1;
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

static bool fill_blocks(const cd_front_order* o, const cd_rows* rows, const int* front, cd_fronts* f)
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
        for (int i = 0; i < b->nend; ++i)
            f->end_slot[f->first_end[c] + i] = b->link[i] >= 0 ? slot_of(o, f->plan[k].link, b->link[i]) : -1;
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

enum {
    MOST_WAIT_FOR = 96
}; // scalars that a front has room for: many arms of one hub rarely pass on any, and more are refused

// Sizes: rows that can be open, the widest front, the deepest stack, the longest tape. After a front no more rows are
// open than it has unknowns, and without open rows nothing waits.
static bool measure(const cardan_model* m, const cd_rows* rows, cd_fronts* f)
{
    size_t* taken = cd_allocate((size_t)f->n, sizeof(size_t)); // by the updates that a front will take
    int*    wait  = cd_allocate((size_t)f->n, sizeof(int));    // scalars that they may bring
    bool    good  = taken && wait;
    size_t  depth = 0;
    for (int k = 0; good && k < f->n; ++k) {
        cd_front_plan* p = &f->plan[k];
        for (int i = p->block; i < p->block + p->nblock; ++i) p->most_rows += rows->block[f->block[i]].nrow;
        if (p->link >= m->nlink) p->most_rows += 6;
        for (int v = p->v; v < p->v + p->nv && v < m->nv; ++v) p->armed = p->armed || m->armature[v] != 0;
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
        f->v[i]     = m->link[i].v;
        f->nv[i]    = m->link[i].nv;
    }
    return true;
}

typedef bool hanging(const cardan_model*, cd_fronts*);

// The fronts of one order, unless they cost more than `most`.
static bool analyse(const cardan_model* m, const cd_rows* rows, cd_fronts* f, int nlink, hanging* hang, bool deepest,
                    double most)
{
    const size_t   n     = (size_t)nlink;
    int*           front = cd_allocate(n, sizeof(int));
    cd_front_order o     = {0};
    *f                   = (cd_fronts){.n = m->nlink};
    int** const  all[]   = {&f->up, &f->joint, &f->v, &f->nv, &f->target, &f->block, &f->first_end};
    const size_t room[]  = {n, n, n, n, n, (size_t)rows->nblock, (size_t)rows->nblock + 1};
    bool         good    = front && cd_front_order_create(&o, nlink);
    for (size_t i = 0; good && i < sizeof all / sizeof *all; ++i)
        good = (*all[i] = cd_allocate(room[i], sizeof(int))) != NULL;
    good = good && (f->plan = cd_allocate(n, sizeof *f->plan)) != NULL && hang(m, f) &&
           cd_front_order_links(&o, rows, f, deepest, most);
    if (good && f->work <= most)
        good = postorder(&o, f, front) && fill_slots(&o, f) && fill_blocks(&o, rows, front, f) && measure(m, rows, f);
    cd_front_order_release(&o, nlink);
    free(front);
    return good;
}

static const double
    wide         = 400,
    far_too_wide = 8000; // multiplications for each velocity: three bodies and more in most fronts; more than a dozen

// Where least ports make wide fronts, deepest first, if that is better. What gets far too wide is left until it is
// known that the other is no better.
static bool analyse_both(const cardan_model* m, const cd_rows* rows, cd_fronts* f, int nlink, hanging* hang,
                         double most)
{
    const double few = fmin(most, far_too_wide * m->nv);
    if (!analyse(m, rows, f, nlink, hang, false, few)) return false;
    if (f->work < wide * m->nv) return true;
    cd_fronts first = *f;
    bool      good  = analyse(m, rows, f, nlink, hang, true, fmin(most, first.work));
    if (good && isinf(first.work) && f->work > few) {
        cd_fronts_release(&first);
        good = analyse(m, rows, &first, nlink, hang, false, fmin(most, f->work));
    }
    if (good && first.work < f->work) {
        const cd_fronts other = *f;
        *f                    = first;
        first                 = other;
    }
    cd_fronts_release(&first);
    return good;
}

bool cd_fronts_analyse(const cardan_model* m, const cd_rows* rows, double most, cd_fronts* f)
{
    return analyse_both(m, rows, f, m->nlink, hang_inward, most);
}

bool cd_fronts_analyse_outward(const cardan_model* m, const cd_rows* rows, double most, cd_fronts* f)
{
    int nlink = m->nlink;
    for (int i = 0; i < m->nlink; ++i) nlink += m->link[i].parent < 0;
    return analyse_both(m, rows, f, nlink, cd_fronts_hang, most);
}

void cd_fronts_release(cd_fronts* f)
{
    void* const all[] = {f->up,        f->joint,   f->v,     f->nv,        f->target,  f->plan,
                         f->slot_link, f->slot_to, f->block, f->first_end, f->end_slot};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) free(all[i]);
}
