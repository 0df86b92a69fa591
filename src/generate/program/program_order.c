// SPDX-License-Identifier: BSD-3-Clause
// Order of a program: depth first from the roots, a vector group as a whole after the operands of all its lanes. The
// roots are the outputs in the order in which they were traced, or all nodes of a recursion in the order in which it
// created them. The order is selected that has fewer reads of values last touched long ago, because these are no longer
// in registers.
//
// Copies into vector groups are made as soon as the copied value is computed: it is still in a register, and the loop
// that reads the group comes so much later that the processor does not wait for the store.
#include "generate/program/program.h"

#include "core/memory.h"

#include <stdlib.h>

typedef struct traversal {
    int* state;     // (count) 0: not visited, 1: on the stack, 2: done
    int* stack;     // positions; a vector group is entered at one of its lanes
    int* next;      // next operand to visit, counted over all lanes
    int* copy_of;   // (count) lane of a copy group that copies this value, -1: none
    int* next_copy; // (count) the next lane that copies the same value
    int* nwaiting;  // (ngroup) number of values that a copy group waits for
    int  depth, done;
    bool is_cyclic; // a vector group depends on itself
} traversal;

static void enter_value(const cd_program* p, traversal* w, int at)
{
    const int group = p->value[at].group;
    if (w->state[at] == 2) return;
    if (w->state[at] == 1) {
        w->is_cyclic = true;
        return;
    }
    if (group < 0) w->state[at] = 1;
    for (int k = 0; group >= 0 && k < p->group[group].count; ++k)
        if (p->group[group].position[k] >= 0) w->state[p->group[group].position[k]] = 1;
    w->next[w->depth]    = 0;
    w->stack[w->depth++] = at;
}

static bool is_written(const cd_program* p, const traversal* w, int group)
{
    return group < 0 || w->state[p->group[group].position[p->group[group].lane_a]] == 2;
}

static void finish_value(traversal* w, int at, int* order)
{
    w->state[at]     = 2;
    order[w->done++] = at;
}

static bool is_negation(const cd_program* p, int at)
{
    return p->value[at].group < 0 && cd_node_operation(p->graph, p->subgraph.entry[at].node) == CD_NEG;
}

// True if no operand of the group is on the stack and its predecessor in the strip is written.
static bool can_copy(const cd_program* p, const traversal* w, const cd_vector_group* group)
{
    for (int k = 0; k < group->count; ++k)
        for (int at = group->position[k]; at >= 0; at = p->subgraph.entry[at].operand[0]) {
            if (w->state[at] == 1) return false;
            if (at != group->position[k] && !is_negation(p, at)) break;
        }
    return is_written(p, w, group->predecessor);
}

// Enter the copy groups for which this value was the last one missing.
static void enter_ready_copies(const cd_program* p, traversal* w, int at)
{
    for (int h = w->copy_of[at]; h >= 0; h = w->next_copy[h])
        if (--w->nwaiting[p->value[h].group] == 0 && can_copy(p, w, &p->group[p->value[h].group])) enter_value(p, w, h);
}

static void leave_value(const cd_program* p, traversal* w, int at, int* order)
{
    const int group = p->value[at].group, lanes = group < 0 ? 1 : p->group[group].count;
    --w->depth;
    for (int k = 0; k < lanes; ++k)
        if (group < 0 || p->group[group].position[k] >= 0)
            finish_value(w, group < 0 ? at : p->group[group].position[k], order);
    for (int k = lanes - 1; k >= 0; --k)
        if (group < 0 || p->group[group].position[k] >= 0)
            enter_ready_copies(p, w, group < 0 ? at : p->group[group].position[k]);
}

// List the lanes of copy groups by the value that they copy. Constants and inputs are copied when the group is needed.
static void list_copies(const cd_program* p, traversal* w)
{
    for (int i = 0; i < p->subgraph.count; ++i) w->copy_of[i] = -1;
    for (int i = 0; i < p->ngroup; ++i) {
        const cd_vector_group* group = &p->group[i];
        w->nwaiting[i]               = 0;
        for (int k = 0; group->is_copy && k < group->count; ++k) {
            int at = group->position[k] < 0 ? -1 : p->subgraph.entry[group->position[k]].operand[0];
            while (at >= 0 && is_negation(p, at)) at = p->subgraph.entry[at].operand[0];
            if (at < 0 || cd_operation_operands(cd_node_operation(p->graph, p->subgraph.entry[at].node)) == 0) continue;
            w->next_copy[group->position[k]] = w->copy_of[at];
            w->copy_of[at]                   = group->position[k];
            ++w->nwaiting[i];
        }
    }
}

static void visit(const cd_program* p, traversal* w, int root, int* order)
{
    enter_value(p, w, root);
    while (w->depth > 0 && !w->is_cyclic) {
        const int at = w->stack[w->depth - 1], group = p->value[at].group, n = w->next[w->depth - 1]++;
        const int lane = n / 3, lanes = group < 0 ? 1 : p->group[group].count;
        if (n == 3 * lanes && group >= 0 &&
            p->group[group].predecessor >= 0) { // first the group before it in the strip, which writes beyond its end
            const cd_vector_group* before = &p->group[p->group[group].predecessor];
            enter_value(p, w, before->position[before->lane_a]);
            continue;
        }
        if (lane >= lanes) {
            leave_value(p, w, at, order);
            continue;
        }
        const int from = group < 0 ? at : p->group[group].position[lane];
        if (from >= 0 && p->subgraph.entry[from].operand[n % 3] >= 0)
            enter_value(p, w, p->subgraph.entry[from].operand[n % 3]);
    }
}

static int by_node(const void* a, const void* b) { return *(const cd_node*)a - *(const cd_node*)b; }

// Order from these roots, which are sorted by node number here.
static void order_from_roots(const cd_program* p, traversal* w, int nroot, cd_node* roots, int* order)
{
    w->depth = w->done = 0;
    w->is_cyclic       = false;
    for (int i = 0; i < p->subgraph.count; ++i) w->state[i] = 0;
    list_copies(p, w);
    qsort(roots, (size_t)nroot, sizeof *roots, by_node);
    for (int i = 0; i < nroot && !w->is_cyclic; ++i) visit(p, w, cd_subgraph_find(&p->subgraph, roots[i]), order);
}

// Count the reads of values that were last touched more than WINDOW operations before; `touched` has subgraph.count
// entries.
static long count_distant_reads(const cd_program* p, const int* order, int* touched)
{
    enum { WINDOW = 48 };
    long count = 0;
    for (int t = 0; t < p->subgraph.count; ++t) {
        const int at = order[t];
        touched[at]  = t;
        for (int k = 0; k < 3; ++k) {
            const int o = p->subgraph.entry[at].operand[k];
            if (o < 0 || cd_operation_operands(cd_node_operation(p->graph, p->subgraph.entry[o].node)) == 0) continue;
            count += t - touched[o] > WINDOW;
            touched[o] = t;
        }
    }
    return count;
}

bool cd_program_order(cd_program* p, bool* is_cyclic)
{
    const size_t n           = (size_t)p->subgraph.count + 1;
    cd_node*     roots       = cd_allocate(n + (size_t)p->noutput, sizeof *roots);
    int*         alternative = cd_allocate(n, sizeof *alternative);
    traversal    w           = {.state     = cd_allocate(n, sizeof(int)),
                                .stack     = cd_allocate(n, sizeof(int)),
                                .next      = cd_allocate(n, sizeof(int)),
                                .copy_of   = cd_allocate(n, sizeof(int)),
                                .next_copy = cd_allocate(n, sizeof(int)),
                                .nwaiting  = cd_allocate((size_t)p->ngroup + 1, sizeof(int))};
    bool allocated = w.state && w.stack && w.next && w.copy_of && w.next_copy && w.nwaiting && roots && alternative;
    int  nroot     = 0;
    for (int i = 0; allocated && i < p->noutput; ++i)
        if (p->output_position[i] >= 0) roots[nroot++] = p->subgraph.entry[p->output_position[i]].node;
    if (allocated) order_from_roots(p, &w, nroot, roots, p->order);
    *is_cyclic = w.is_cyclic;
    if (allocated && !w.is_cyclic && cd_graph_evaluation_order_start(p->graph) > 0) {
        for (int i = 0; i < p->subgraph.count; ++i)
            if (p->subgraph.entry[i].node >= cd_graph_evaluation_order_start(p->graph))
                roots[nroot++] = p->subgraph.entry[i].node;
        order_from_roots(p, &w, nroot, roots, alternative);
        if (!w.is_cyclic && count_distant_reads(p, alternative, w.next) < count_distant_reads(p, p->order, w.next))
            for (int i = 0; i < p->subgraph.count; ++i) p->order[i] = alternative[i];
    }
    if (allocated && !w.is_cyclic && p->reduce_live && p->ngroup == 0) {
        allocated = cd_program_reduce_live(p, p->order, alternative);
        if (allocated && count_distant_reads(p, alternative, w.next) < count_distant_reads(p, p->order, w.next))
            for (int i = 0; i < p->subgraph.count; ++i) p->order[i] = alternative[i];
    }
    free(w.state), free(w.stack), free(w.next), free(w.copy_of), free(w.next_copy), free(w.nwaiting), free(roots),
        free(alternative);
    return allocated;
}
