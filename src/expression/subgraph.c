// SPDX-License-Identifier: BSD-3-Clause
// Subgraph of some nodes: depth-first search with an explicit stack, each node listed after its operands. The map from
// nodes to positions is a local hash table, so that a small formula in a large graph costs little and several threads
// may read one graph.
#include "expression/graph_internal.h"

#include "core/memory.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { INITIAL_SLOTS = 64, HASH_BLOCK = 16 };

// Nodes created together are adjacent: a block of 16 neighbours is hashed as a whole, for cache locality.
static int find_slot(const cd_subgraph* subgraph, cd_node node)
{
    const uint64_t mask  = (uint64_t)subgraph->nslot - 1;
    const uint64_t block = (uint64_t)node / HASH_BLOCK * UINT64_C(0x9e3779b97f4a7c15) >> 24;
    for (uint64_t s = (block * HASH_BLOCK + (uint64_t)node % HASH_BLOCK) & mask;; s = (s + 1) & mask)
        if (subgraph->slot[s] < 0 || subgraph->entry[subgraph->slot[s]].node == node) return (int)s;
}

static bool rehash(cd_subgraph* subgraph)
{
    if (subgraph->nslot > INT_MAX / 2) return false;
    const int slots = subgraph->nslot ? 2 * subgraph->nslot : INITIAL_SLOTS;
    int*      slot  = malloc((size_t)slots * sizeof *slot);
    if (!slot) return false;
    memset(slot, -1, (size_t)slots * sizeof *slot);
    free(subgraph->slot);
    subgraph->slot  = slot;
    subgraph->nslot = slots;
    for (int i = 0; i < subgraph->count; ++i) subgraph->slot[find_slot(subgraph, subgraph->entry[i].node)] = i;
    return true;
}

int cd_subgraph_find(const cd_subgraph* subgraph, cd_node node) { return subgraph->slot[find_slot(subgraph, node)]; }

static bool append(cd_subgraph* subgraph, const cd_graph* graph, cd_node node)
{
    if (subgraph->count >= subgraph->nslot / 2 && !rehash(subgraph)) return false;
    if (!cd_array_grow((void**)&subgraph->entry, &subgraph->capacity, subgraph->count, sizeof *subgraph->entry))
        return false;
    const cd_node_data* item  = cd_node_data_at(graph, node);
    cd_subgraph_entry   entry = {node, {-1, -1, -1}};
    for (int i = 0; i < cd_operation_operands(item->operation); ++i)
        entry.operand[i] = cd_subgraph_find(subgraph, cd_node_data_operand(item, i));
    subgraph->entry[subgraph->count]          = entry;
    subgraph->slot[find_slot(subgraph, node)] = subgraph->count++;
    return true;
}

typedef struct stack_entry {
    cd_node node;
    int     next; // next operand
} stack_entry;

typedef struct node_stack {
    stack_entry* list;
    int          count, capacity;
} node_stack;

static bool push(node_stack* stack, cd_node node)
{
    if (!cd_array_grow((void**)&stack->list, &stack->capacity, stack->count, sizeof *stack->list)) return false;
    stack->list[stack->count++] = (stack_entry){node, 0};
    return true;
}

static bool visit_operands(cd_subgraph* subgraph, const cd_graph* graph, node_stack* stack)
{
    while (stack->count > 0) {
        stack_entry*        top  = &stack->list[stack->count - 1];
        const cd_node_data* item = cd_node_data_at(graph, top->node);
        if (top->next < cd_operation_operands(item->operation)) {
            const cd_node operand = cd_node_data_operand(item, top->next++);
            if (cd_subgraph_find(subgraph, operand) < 0 && !push(stack, operand)) return false;
        } else {
            if (!append(subgraph, graph, top->node)) return false;
            --stack->count;
        }
    }
    return true;
}

bool cd_subgraph_collect(cd_subgraph* subgraph, const cd_graph* graph, int nroot, const cd_node* root)
{
    *subgraph        = (cd_subgraph){0};
    node_stack stack = {0};
    bool       ok    = rehash(subgraph);
    for (int i = 0; ok && i < nroot; ++i)
        if (root[i] >= 0 && cd_subgraph_find(subgraph, root[i]) < 0)
            ok = push(&stack, root[i]) && visit_operands(subgraph, graph, &stack);
    free(stack.list);
    if (!ok) cd_subgraph_release(subgraph);
    return ok;
}

void cd_subgraph_release(cd_subgraph* subgraph)
{
    free(subgraph->entry);
    free(subgraph->slot);
    *subgraph = (cd_subgraph){0};
}

cardan_status cd_dependence(const cd_graph* graph, int nnode, const cd_node* node, int count, bool* depends)
{
    cd_subgraph subgraph;
    if (!cd_subgraph_collect(&subgraph, graph, nnode, node)) return CARDAN_NO_MEMORY;
    for (int i = 0; i < count; ++i) depends[i] = false;
    for (int i = 0; i < subgraph.count; ++i) {
        const cd_node_data* item = cd_node_data_at(graph, subgraph.entry[i].node);
        if (item->operation == CD_INPUT && item->operand[0] >= 0 && item->operand[0] < count)
            depends[item->operand[0]] = true;
    }
    cd_subgraph_release(&subgraph);
    return CARDAN_OK;
}
