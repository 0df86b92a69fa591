// SPDX-License-Identifier: BSD-3-Clause
// Bodies of each front. Links are eliminated in an order (front_order.c); the elimination of a link couples its parent
// and its ports:
//
//   bodies(k) = link(k), and all bodies coupled to it;     after it: parent instead of the link
//   parent front(k) = front of the one of these that is eliminated first
//
// This is a tree of fronts; it is traversed in postorder, so that updates are kept on a stack.
#include "formulation/coordinate_reduction/front_order.h"
#include "formulation/formulation_tolerances.h"

#include <math.h>
#include <stdlib.h>

// Return the link whose front receives the update of a front, or -1.
static int parent_front_link(const cd_front_order* o, int link)
{
    const int parent = o->parent[link];
    int       best   = parent;
    for (int i = 1; i < o->slots[link].count; ++i) {
        const int port = o->slots[link].item[i];
        if (best < 0 || o->position[port] < o->position[best]) best = port;
    }
    return best;
}

// Put the child with the largest subtree first: only updates of the others then accumulate on the stack.
static void put_largest_first(int* first, int* next, const int* subtree_size)
{
    int before = -1, best = *first, best_before = -1;
    for (int i = *first; i >= 0; before = i, i = next[i])
        if (subtree_size[i] > subtree_size[best]) best = i, best_before = before;
    if (best_before < 0) return;
    next[best_before] = next[best];
    next[best]        = *first;
    *first            = best;
}

// Number the fronts of the links in postorder. `front` (nlink): number of a link's front.
static bool postorder(const cd_front_order* o, cd_fronts* f, int* front)
{
    const int n           = f->n;
    int*      first       = cd_allocate((size_t)n + 1, sizeof(int));
    int*      next        = cd_allocate((size_t)n, sizeof(int));
    int*      nlink_under = cd_allocate((size_t)n, sizeof(int)); // links in the subtree of a front, itself included
    int*      stack       = cd_allocate((size_t)n + 1, sizeof(int));
    if (!first || !next || !nlink_under || !stack) {
        free(first), free(next), free(nlink_under), free(stack);
        return false;
    }
    for (int i = 0; i <= n; ++i) first[i] = -1;
    for (int k = 0; k < n; ++k) nlink_under[k] = 1;
    for (int k = 0; k < n; ++k) {
        const int i = o->link_at[k], h = parent_front_link(o, i) >= 0 ? parent_front_link(o, i) : n;
        next[i]  = first[h];
        first[h] = i;
        if (h < n) nlink_under[h] += nlink_under[i];
    }
    for (int h = 0; h <= n; ++h) put_largest_first(&first[h], next, nlink_under);
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
        front[top]                = count;
        f->symbolic[count++].link = top;
    }
    for (int k = 0; k < n; ++k) {
        const int h        = parent_front_link(o, f->symbolic[k].link);
        f->parent_front[k] = h >= 0 ? front[h] : -1;
        ++f->symbolic[k].subtree_size;
        if (h < 0) continue;
        ++f->symbolic[front[h]].nchild;
        f->symbolic[front[h]].subtree_size += f->symbolic[k].subtree_size;
    }
    free(first), free(next), free(nlink_under), free(stack);
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
        cd_front_symbolic* p = &f->symbolic[k];
        p->parent            = f->parent[p->link];
        p->joint             = f->joint[p->link];
        p->v                 = f->v[p->link];
        p->nv                = f->nv[p->link];
        p->first_slot        = total;
        p->nslot             = o->slots[p->link].count;
        total += p->nslot;
    }
    f->slot_link   = cd_allocate((size_t)total, sizeof(int));
    f->slot_target = cd_allocate((size_t)total, sizeof(int));
    if (!f->slot_link || !f->slot_target) return false;
    for (int k = 0; k < f->n; ++k) {
        cd_front_symbolic* p = &f->symbolic[k];
        p->is_identity_map   = true;
        for (int i = 0; i < p->nslot; ++i) {
            const int body = o->slots[p->link].item[i], after = i == 0 ? p->parent : body;
            const int to                    = after >= 0 ? slot_of(o, f->symbolic[f->parent_front[k]].link, after) : -1;
            f->slot_link[p->first_slot + i] = body;
            f->slot_target[p->first_slot + i] = to;
            if (to < 0) continue;
            p->is_identity_map = p->is_identity_map && to == p->nupdate_body;
            ++p->nupdate_body;
        }
        p->is_identity_map =
            p->is_identity_map && f->parent_front[k] >= 0 && p->nupdate_body == f->symbolic[f->parent_front[k]].nslot;
    }
    return true;
}

// Return the front where a constraint enters: the first of the fronts of its ends, or -1 without moving ends.
static int front_of_constraint(const cd_row_block* b, const int* front)
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
        const int k = front_of_constraint(&rows->block[c], front);
        if (k >= 0) ++f->symbolic[k].nblock;
    }
    f->first_end[rows->nblock] = total;
    for (int k = 1; k < f->n; ++k)
        f->symbolic[k].first_block = f->symbolic[k - 1].first_block + f->symbolic[k - 1].nblock;
    int* next   = cd_allocate((size_t)f->n, sizeof(int));
    f->end_slot = cd_allocate((size_t)total, sizeof(int));
    if (!next || !f->end_slot) {
        free(next);
        return false;
    }
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        const int           k = front_of_constraint(b, front);
        if (k < 0) continue;
        f->block[f->symbolic[k].first_block + next[k]++] = c;
        for (int i = 0; i < b->nend; ++i)
            f->end_slot[f->first_end[c] + i] = b->link[i] >= 0 ? slot_of(o, f->symbolic[k].link, b->link[i]) : -1;
    }
    free(next);
    return true;
}

// Return the size of the update of front k on the stack, with `npending` rows.
static size_t update_size(const cd_fronts* f, int k, int npending)
{
    const int n = 6 * f->symbolic[k].nslot + CD_FRONT_MAX_DELAYED;
    return cd_packed_size(n) + (size_t)npending * (size_t)n;
}

// Scalars that a front has room for: many arms of one hub rarely pass on any; more are refused.
enum { MAX_FRONT_SCALARS = 96 };

// Compute sizes: pending rows, widest front, deepest stack, longest stage_value. After a front the number of pending
// rows is at most that of its unknowns, and without pending rows no velocity is delayed.
static bool measure_storage(const cardan_model* m, const cd_rows* rows, cd_fronts* f)
{
    size_t* children_update_size = cd_allocate((size_t)f->n, sizeof(size_t)); // of the updates it receives
    int*    ndelayed_bound       = cd_allocate((size_t)f->n, sizeof(int));    // scalars that they may contain
    bool    good                 = children_update_size && ndelayed_bound;
    size_t  depth                = 0;
    for (int k = 0; good && k < f->n; ++k) {
        cd_front_symbolic* p = &f->symbolic[k];
        for (int i = p->first_block; i < p->first_block + p->nblock; ++i) p->max_rows += rows->block[f->block[i]].nrow;
        if (p->link >= m->nlink) p->max_rows += 6;
        for (int v = p->v; v < p->v + p->nv && v < m->nv; ++v) p->has_armature = p->has_armature || m->armature[v] != 0;
        const int after    = 6 * p->nslot + CD_FRONT_MAX_DELAYED,
                  nunknown = 6 * p->nslot + ndelayed_bound[k] + CD_FRONT_MAX_DELAYED + 6;
        const int npending = p->max_rows < after ? p->max_rows : after;
        if (nunknown > f->max_unknowns) f->max_unknowns = nunknown;
        if (p->max_rows > f->max_pending_rows) f->max_pending_rows = p->max_rows;
        depth += update_size(f, k, npending) - children_update_size[k];
        if (depth > f->stack_size) f->stack_size = depth;
        if (f->parent_front[k] >= 0) {
            int* ndelayed_parent = &ndelayed_bound[f->parent_front[k]];
            if (npending > 0 && *ndelayed_parent < MAX_FRONT_SCALARS) *ndelayed_parent += CD_FRONT_MAX_DELAYED;
            f->symbolic[f->parent_front[k]].max_rows += npending;
            children_update_size[f->parent_front[k]] += update_size(f, k, npending);
        } else {
            depth -= update_size(f, k, npending);
        }
        f->stage_value_size += (size_t)p->nv * (size_t)(3 * nunknown + 6 + p->max_rows) + 3;
    }
    f->stage_value_size += (size_t)(4 * CD_FRONT_MAX_DELAYED * (2 * f->max_unknowns + f->max_pending_rows));
    free(children_update_size), free(ndelayed_bound);
    return good;
}

static bool set_tree_parents(const cardan_model* m, cd_fronts* f)
{
    for (int i = 0; i < m->nlink; ++i) {
        f->parent[i] = m->link[i].parent;
        f->joint[i]  = i;
        f->v[i]      = m->link[i].v;
        f->nv[i]     = m->link[i].nv;
    }
    return true;
}

typedef bool parent_setter(const cardan_model*, cd_fronts*);

// Compute the fronts of one order, unless they cost more than `max_operations`.
static bool analyse(const cardan_model* m, const cd_rows* rows, cd_fronts* f, int nlink, parent_setter* set_parents,
                    bool deepest, double max_operations)
{
    const size_t   n     = (size_t)nlink;
    int*           front = cd_allocate(n, sizeof(int));
    cd_front_order o     = {0};
    *f                   = (cd_fronts){.n = m->nlink};
    int** const  all[]   = {&f->parent, &f->joint, &f->v, &f->nv, &f->parent_front, &f->block, &f->first_end};
    const size_t room[]  = {n, n, n, n, n, (size_t)rows->nblock, (size_t)rows->nblock + 1};
    bool         good    = front && cd_front_order_create(&o, nlink);
    for (size_t i = 0; good && i < sizeof all / sizeof *all; ++i)
        good = (*all[i] = cd_allocate(room[i], sizeof(int))) != NULL;
    good = good && (f->symbolic = cd_allocate(n, sizeof *f->symbolic)) != NULL && set_parents(m, f) &&
           cd_front_order_compute(&o, rows, f, deepest, max_operations);
    if (good && f->operations <= max_operations)
        good = postorder(&o, f, front) && fill_slots(&o, f) && fill_blocks(&o, rows, front, f) &&
               measure_storage(m, rows, f);
    cd_front_order_release(&o, nlink);
    free(front);
    return good;
}

// Order by fewest ports; if that makes wide fronts, by deepest first, and keep the better order. An order far too wide
// is stopped and completed only if the other is not better.
static bool analyse_both_orders(const cardan_model* m, const cd_rows* rows, cd_fronts* f, int nlink,
                                parent_setter* set_parents, double max_operations)
{
    const double first_max_operations = fmin(max_operations, cd_front_operations_max * m->nv);
    if (!analyse(m, rows, f, nlink, set_parents, false, first_max_operations)) return false;
    if (f->operations < cd_wide_front_operations * m->nv) return true;
    cd_fronts first = *f;
    bool      good  = analyse(m, rows, f, nlink, set_parents, true, fmin(max_operations, first.operations));
    if (good && isinf(first.operations) && f->operations > first_max_operations) {
        cd_fronts_release(&first);
        good = analyse(m, rows, &first, nlink, set_parents, false, fmin(max_operations, f->operations));
    }
    if (good && first.operations < f->operations) {
        const cd_fronts other = *f;
        *f                    = first;
        first                 = other;
    }
    cd_fronts_release(&first);
    return good;
}

bool cd_fronts_analyse(const cardan_model* m, const cd_rows* rows, double max_operations, cd_fronts* f)
{
    return analyse_both_orders(m, rows, f, m->nlink, set_tree_parents, max_operations);
}

bool cd_fronts_analyse_reversed(const cardan_model* m, const cd_rows* rows, double max_operations, cd_fronts* f)
{
    int nlink = m->nlink;
    for (int i = 0; i < m->nlink; ++i) nlink += m->link[i].parent < 0;
    return analyse_both_orders(m, rows, f, nlink, cd_fronts_reverse_tree, max_operations);
}

void cd_fronts_release(cd_fronts* f)
{
    void* const all[] = {f->parent,    f->joint,       f->v,     f->nv,        f->parent_front, f->symbolic,
                         f->slot_link, f->slot_target, f->block, f->first_end, f->end_slot};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) free(all[i]);
}
