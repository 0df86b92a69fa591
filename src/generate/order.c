// SPDX-License-Identifier: BSD-3-Clause
// Order of a program. Depth first from what is wanted, a pack as a whole after all that any of its values needs. What
// is wanted first: the outputs as they were traced, or everything a recursion made in the order in which it was made,
// whichever reads fewer values that were last touched long ago: those are the ones that registers no longer hold.
//
// Held numbers go to their places as soon as they are computed: registers have them then, and a vector that reads them
// comes so much later that processors need not wait until they have reached memory.
#include "generate/program.h"

#include "core/memory.h"

#include <stdlib.h>

typedef struct walk {
    int* state; // (count) 0 new, 1 open, 2 done
    int* stack; // positions; a pack is entered at one of them
    int* next;  // operand to be looked at, counted over all lanes
    int* hold;  // (count) a hold of a packed number that takes this value, -1: none
    int* also;  // (count) the next that takes the same value
    int* wait;  // (npack) values that a pack of held numbers waits for
    int  depth, done;
    bool loop; // a pack needs itself
} walk;

static void enter(const cd_program* p, walk* w, int at)
{
    const int pack = p->value[at].pack;
    if (w->state[at] == 2) return;
    if (w->state[at] == 1) {
        w->loop = true;
        return;
    }
    if (pack < 0) w->state[at] = 1;
    for (int k = 0; pack >= 0 && k < p->pack[pack].count; ++k)
        if (p->pack[pack].at[k] >= 0) w->state[p->pack[pack].at[k]] = 1;
    w->next[w->depth]    = 0;
    w->stack[w->depth++] = at;
}

static bool is_written(const cd_program* p, const walk* w, int pack)
{
    return pack < 0 || w->state[p->pack[pack].at[p->pack[pack].one]] == 2;
}

static void close_value(walk* w, int at, int* order)
{
    w->state[at]     = 2;
    order[w->done++] = at;
}

static bool is_sign(const cd_program* p, int at)
{
    return p->value[at].pack < 0 && cd_node_operation(p->graph, p->reach.list[at].node) == CD_NEG;
}

// Nothing that it needs is open.
static bool may_hold(const cd_program* p, const walk* w, const cd_pack_of* pack)
{
    for (int k = 0; k < pack->count; ++k)
        for (int at = pack->at[k]; at >= 0; at = p->reach.list[at].operand[0]) {
            if (w->state[at] == 1) return false;
            if (at != pack->at[k] && !is_sign(p, at)) break;
        }
    return is_written(p, w, pack->before);
}

// Packs of held numbers that waited for this one alone are next.
static void hold(const cd_program* p, walk* w, int at)
{
    for (int h = w->hold[at]; h >= 0; h = w->also[h])
        if (--w->wait[p->value[h].pack] == 0 && may_hold(p, w, &p->pack[p->value[h].pack])) enter(p, w, h);
}

static void leave(const cd_program* p, walk* w, int at, int* order)
{
    const int pack = p->value[at].pack, lanes = pack < 0 ? 1 : p->pack[pack].count;
    --w->depth;
    for (int k = 0; k < lanes; ++k)
        if (pack < 0 || p->pack[pack].at[k] >= 0) close_value(w, pack < 0 ? at : p->pack[pack].at[k], order);
    for (int k = lanes - 1; k >= 0; --k)
        if (pack < 0 || p->pack[pack].at[k] >= 0) hold(p, w, pack < 0 ? at : p->pack[pack].at[k]);
}

// Who holds what. Numbers that nothing computes are held when they are wanted.
static void list_holds(const cd_program* p, walk* w)
{
    for (int i = 0; i < p->reach.count; ++i) w->hold[i] = -1;
    for (int i = 0; i < p->npack; ++i) {
        const cd_pack_of* pack = &p->pack[i];
        w->wait[i]             = 0;
        for (int k = 0; pack->held && k < pack->count; ++k) {
            int at = pack->at[k] < 0 ? -1 : p->reach.list[pack->at[k]].operand[0];
            while (at >= 0 && is_sign(p, at)) at = p->reach.list[at].operand[0];
            if (at < 0 || cd_operation_operands(cd_node_operation(p->graph, p->reach.list[at].node)) == 0) continue;
            w->also[pack->at[k]] = w->hold[at];
            w->hold[at]          = pack->at[k];
            ++w->wait[i];
        }
    }
}

static void visit(const cd_program* p, walk* w, int root, int* order)
{
    enter(p, w, root);
    while (w->depth > 0 && !w->loop) {
        const int at = w->stack[w->depth - 1], pack = p->value[at].pack, n = w->next[w->depth - 1]++;
        const int lane = n / 3, lanes = pack < 0 ? 1 : p->pack[pack].count;
        if (n == 3 * lanes && pack >= 0 && p->pack[pack].before >= 0) { // of a row, what runs into it comes first
            const cd_pack_of* before = &p->pack[p->pack[pack].before];
            enter(p, w, before->at[before->one]);
            continue;
        }
        if (lane >= lanes) {
            leave(p, w, at, order);
            continue;
        }
        const int from = pack < 0 ? at : p->pack[pack].at[lane];
        if (from >= 0 && p->reach.list[from].operand[n % 3] >= 0) enter(p, w, p->reach.list[from].operand[n % 3]);
    }
}

static int by_age(const void* a, const void* b) { return *(const cd_node*)a - *(const cd_node*)b; }

// From these, which become sorted.
static void arrange_from(const cd_program* p, walk* w, int nroot, cd_node* roots, int* order)
{
    w->depth = w->done = 0;
    w->loop            = false;
    for (int i = 0; i < p->reach.count; ++i) w->state[i] = 0;
    list_holds(p, w);
    qsort(roots, (size_t)nroot, sizeof *roots, by_age);
    for (int i = 0; i < nroot && !w->loop; ++i) visit(p, w, cd_reach_find(&p->reach, roots[i]), order);
}

// Values that were touched last more than a window ago and are read again; `touched` has room for all.
static long far_reads(const cd_program* p, const int* order, int* touched)
{
    enum { WINDOW = 48 };
    long count = 0;
    for (int t = 0; t < p->reach.count; ++t) {
        const int at = order[t];
        touched[at]  = t;
        for (int k = 0; k < 3; ++k) {
            const int o = p->reach.list[at].operand[k];
            if (o < 0 || cd_operation_operands(cd_node_operation(p->graph, p->reach.list[o].node)) == 0) continue;
            count += t - touched[o] > WINDOW;
            touched[o] = t;
        }
    }
    return count;
}

bool cd_program_arrange(cd_program* p, bool* loop)
{
    const size_t n     = (size_t)p->reach.count + 1;
    cd_node*     roots = cd_allocate(n + (size_t)p->noutput, sizeof *roots);
    int*         other = cd_allocate(n, sizeof *other);
    walk         w     = {.state = cd_allocate(n, sizeof(int)),
                          .stack = cd_allocate(n, sizeof(int)),
                          .next  = cd_allocate(n, sizeof(int)),
                          .hold  = cd_allocate(n, sizeof(int)),
                          .also  = cd_allocate(n, sizeof(int)),
                          .wait  = cd_allocate((size_t)p->npack + 1, sizeof(int))};
    bool         room  = w.state && w.stack && w.next && w.hold && w.also && w.wait && roots && other;
    int          nroot = 0;
    for (int i = 0; room && i < p->noutput; ++i)
        if (p->place[i] >= 0) roots[nroot++] = p->reach.list[p->place[i]].node;
    if (room) arrange_from(p, &w, nroot, roots, p->order);
    *loop = w.loop;
    if (room && !w.loop && cd_graph_ordered_from(p->graph) > 0) {
        for (int i = 0; i < p->reach.count; ++i)
            if (p->reach.list[i].node >= cd_graph_ordered_from(p->graph)) roots[nroot++] = p->reach.list[i].node;
        arrange_from(p, &w, nroot, roots, other);
        if (!w.loop && far_reads(p, other, w.next) < far_reads(p, p->order, w.next))
            for (int i = 0; i < p->reach.count; ++i) p->order[i] = other[i];
    }
    if (room && !w.loop && p->early && p->npack == 0) {
        room = cd_program_early(p, p->order, other);
        if (room && far_reads(p, other, w.next) < far_reads(p, p->order, w.next))
            for (int i = 0; i < p->reach.count; ++i) p->order[i] = other[i];
    }
    free(w.state), free(w.stack), free(w.next), free(w.hold), free(w.also), free(w.wait), free(roots), free(other);
    return room;
}
