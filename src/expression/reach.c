// SPDX-License-Identifier: BSD-3-Clause
// What some nodes need: depth first with a stack of its own, each node listed after its operands.
// The map from nodes to positions is a local hash table, so that a small formula in a large graph costs little
// and several threads may look at one graph.
#include "expression/inside.h"

#include "core/memory.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 64, BLOCK = 16 };

// Nodes made together stand together: a block of 16 neighbours is scattered as a whole, which keeps caches warm.
static int find_slot(const cd_reach* reach, cd_node node)
{
    const uint64_t mask  = (uint64_t)reach->slots - 1;
    const uint64_t block = (uint64_t)node / BLOCK * UINT64_C(0x9e3779b97f4a7c15) >> 24;
    for (uint64_t s = (block * BLOCK + (uint64_t)node % BLOCK) & mask;; s = (s + 1) & mask)
        if (reach->slot[s] < 0 || reach->list[reach->slot[s]].node == node) return (int)s;
}

static bool rehash(cd_reach* reach)
{
    if (reach->slots > INT_MAX / 2) return false;
    const int slots = reach->slots ? 2 * reach->slots : FIRST_SLOTS;
    int*      slot  = malloc((size_t)slots * sizeof *slot);
    if (!slot) return false;
    memset(slot, -1, (size_t)slots * sizeof *slot);
    free(reach->slot);
    reach->slot  = slot;
    reach->slots = slots;
    for (int i = 0; i < reach->count; ++i) reach->slot[find_slot(reach, reach->list[i].node)] = i;
    return true;
}

int cd_reach_find(const cd_reach* reach, cd_node node) { return reach->slot[find_slot(reach, node)]; }

static bool append(cd_reach* reach, const cd_graph* graph, cd_node node)
{
    if (reach->count >= reach->slots / 2 && !rehash(reach)) return false;
    if (!cd_grow((void**)&reach->list, &reach->capacity, reach->count, sizeof *reach->list)) return false;
    const cd_item* item    = cd_item_at(graph, node);
    cd_reached     reached = {node, {-1, -1, -1}};
    for (int i = 0; i < cd_operation_operands(item->operation); ++i)
        reached.operand[i] = cd_reach_find(reach, cd_item_operand(item, i));
    reach->list[reach->count]           = reached;
    reach->slot[find_slot(reach, node)] = reach->count++;
    return true;
}

typedef struct frame {
    cd_node node;
    int     next; // operand to be looked at
} frame;

typedef struct frames {
    frame* list;
    int    count, capacity;
} frames;

static bool push(frames* stack, cd_node node)
{
    if (!cd_grow((void**)&stack->list, &stack->capacity, stack->count, sizeof *stack->list)) return false;
    stack->list[stack->count++] = (frame){node, 0};
    return true;
}

static bool descend(cd_reach* reach, const cd_graph* graph, frames* stack)
{
    while (stack->count > 0) {
        frame*         top  = &stack->list[stack->count - 1];
        const cd_item* item = cd_item_at(graph, top->node);
        if (top->next < cd_operation_operands(item->operation)) {
            const cd_node operand = cd_item_operand(item, top->next++);
            if (cd_reach_find(reach, operand) < 0 && !push(stack, operand)) return false;
        } else {
            if (!append(reach, graph, top->node)) return false;
            --stack->count;
        }
    }
    return true;
}

bool cd_reach_collect(cd_reach* reach, const cd_graph* graph, int nroot, const cd_node* root)
{
    *reach       = (cd_reach){0};
    frames stack = {0};
    bool   ok    = rehash(reach);
    for (int i = 0; ok && i < nroot; ++i)
        if (root[i] >= 0 && cd_reach_find(reach, root[i]) < 0)
            ok = push(&stack, root[i]) && descend(reach, graph, &stack);
    free(stack.list);
    if (!ok) cd_reach_release(reach);
    return ok;
}

void cd_reach_release(cd_reach* reach)
{
    free(reach->list);
    free(reach->slot);
    *reach = (cd_reach){0};
}

cardan_status cd_dependence(const cd_graph* graph, int nnode, const cd_node* node, int count, bool* depends)
{
    cd_reach reach;
    if (!cd_reach_collect(&reach, graph, nnode, node)) return CARDAN_NO_MEMORY;
    for (int i = 0; i < count; ++i) depends[i] = false;
    for (int i = 0; i < reach.count; ++i) {
        const cd_item* item = cd_item_at(graph, reach.list[i].node);
        if (item->operation == CD_INPUT && item->operand[0] >= 0 && item->operand[0] < count)
            depends[item->operand[0]] = true;
    }
    cd_reach_release(&reach);
    return CARDAN_OK;
}
