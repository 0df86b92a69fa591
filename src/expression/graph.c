// SPDX-License-Identifier: BSD-3-Clause
// Storage of the graph: every expression once, found by a hash of its bytes. Open addressing, load factor at most one
// half; nodes are never removed, so that indices stay valid.
#include "expression/graph_internal.h"

#include "core/memory.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { INITIAL_SLOTS = 64 };

static const struct {
    const char* text;
    int         operands;
} operations[] = {
#define OPERATION_ENTRY(name, operands, text) {text, operands},
    CD_OPERATION_LIST(OPERATION_ENTRY)
#undef OPERATION_ENTRY
};

int         cd_operation_operands(cd_operation operation) { return operations[operation].operands; }
const char* cd_operation_text(cd_operation operation) { return operations[operation].text; }

int  cd_graph_size(const cd_graph* graph) { return graph->count; }
void cd_graph_set_limit(cd_graph* graph, int most) { graph->max_nodes = most; }
bool cd_graph_is_full(const cd_graph* graph) { return graph->is_full; }
bool cd_graph_has_failed(const cd_graph* graph) { return graph->has_failed; }

// Room for one more entry of a list of the graph.
static bool make_room(cd_graph* graph, void** list, int* capacity, int count, size_t size)
{
    if (cd_array_grow(list, capacity, count, size)) return true;
    graph->has_failed = true;
    return false;
}

static void item_words(const cd_node_data* item, uint64_t word[2])
{
    _Static_assert(sizeof *item == 2 * sizeof *word, "an item is two words");
    memcpy(word, item, sizeof *item);
}

// Multiply-and-shift mixer: every bit of both words affects the low bits of the result.
static uint32_t hash_of(const cd_node_data* item)
{
    uint64_t word[2];
    item_words(item, word);
    uint64_t h = word[0] * UINT64_C(0x9e3779b97f4a7c15) ^ word[1];
    h ^= h >> 32;
    h *= UINT64_C(0xd6e8feb86659fd93);
    h ^= h >> 32;
    h *= UINT64_C(0xd6e8feb86659fd93);
    return (uint32_t)(h ^ h >> 32);
}

static bool is_same(const cd_node_data* a, const cd_node_data* b)
{
    uint64_t wa[2], wb[2];
    item_words(a, wa);
    item_words(b, wb);
    return wa[0] == wb[0] && wa[1] == wb[1];
}

// Slot of the node, or the free slot for it.
static cd_hash_slot* find_slot(const cd_graph* graph, const cd_node_data* item, uint32_t hash)
{
    const uint32_t mask = (uint32_t)graph->nslot - 1;
    for (uint32_t s = hash & mask;; s = (s + 1) & mask) {
        cd_hash_slot* slot = &graph->slot[s];
        if (slot->node < 0 || (slot->hash == hash && is_same(&graph->node_data[slot->node], item))) return slot;
    }
}

static cd_hash_slot* make_slots(int count)
{
    cd_hash_slot* slot = malloc((size_t)count * sizeof *slot);
    for (int i = 0; slot && i < count; ++i) slot[i] = (cd_hash_slot){-1, 0};
    return slot;
}

cd_graph* cd_graph_create(void)
{
    cd_graph* graph = cd_allocate(1, sizeof *graph);
    if (!graph) return NULL;
    graph->max_nodes = INT_MAX;
    graph->nslot     = INITIAL_SLOTS;
    graph->slot      = make_slots(INITIAL_SLOTS);
    if (graph->slot) return graph;
    free(graph);
    return NULL;
}

cd_graph* cd_graph_create_traced(void)
{
    cd_graph* graph = cd_graph_create();
    if (graph) graph->is_trace = true;
    return graph;
}

void cd_graph_destroy(cd_graph* graph)
{
    if (!graph) return;
    for (int i = 0; i < graph->ntable; ++i)
        if (!graph->table[i].is_borrowed) cd_table_release(&graph->table[i]);
    free(graph->table);
    free(graph->node_data);
    free(graph->group);
    free(graph->group_node);
    free(graph->pair);
    free(graph->slot);
    free(graph);
}

// Double the slots. All nodes differ, so that each takes the first free slot.
static bool rehash(cd_graph* graph)
{
    if (graph->nslot > INT_MAX / 2) return false;
    const int      slots = 2 * graph->nslot;
    const uint32_t mask  = (uint32_t)slots - 1;
    cd_hash_slot*  slot  = make_slots(slots);
    if (!slot) return false;
    for (int i = 0; i < graph->nslot; ++i) {
        if (graph->slot[i].node < 0) continue;
        uint32_t s = graph->slot[i].hash & mask;
        while (slot[s].node >= 0) s = (s + 1) & mask;
        slot[s] = graph->slot[i];
    }
    free(graph->slot);
    graph->slot  = slot;
    graph->nslot = slots;
    return true;
}

cd_node cd_graph_intern(cd_graph* graph, cd_node_data item)
{
    const uint32_t hash = hash_of(&item);
    cd_hash_slot*  slot = find_slot(graph, &item, hash);
    if (slot->node >= 0) return slot->node;
    if (graph->count >= graph->max_nodes) return graph->is_full = true, CD_NO_NODE;
    if (graph->count >= graph->nslot / 2) {
        if (!rehash(graph)) return graph->has_failed = true, CD_NO_NODE;
        slot = find_slot(graph, &item, hash);
    }
    if (!make_room(graph, (void**)&graph->node_data, &graph->capacity, graph->count, sizeof item)) return CD_NO_NODE;
    graph->node_data[graph->count] = item;
    *slot                          = (cd_hash_slot){graph->count, hash};
    return graph->count++;
}

void cd_graph_enable_vector_groups(cd_graph* graph) { graph->vector_groups_enabled = true; }
bool cd_graph_has_vector_groups(const cd_graph* graph) { return graph->vector_groups_enabled; }

cd_node cd_copy_node(cd_graph* graph, cd_node a)
{
    if (a < 0 || !graph->vector_groups_enabled) return a;
    return cd_graph_intern(graph, (cd_node_data){.operation = CD_COPY, .operand = {a, graph->ncopy++}});
}

static bool add_group(cd_graph* graph, int count, const cd_node* node, cd_graph_vector_group how)
{
    if (!graph->vector_groups_enabled) return true;
    for (int i = 0; i < count; ++i) {
        if (!make_room(graph, (void**)&graph->group_node, &graph->cgroup_node, graph->ngroup_node, sizeof *node))
            return false;
        graph->group_node[graph->ngroup_node++] = node[i];
    }
    if (!make_room(graph, (void**)&graph->group, &graph->cgroup, graph->ngroup, sizeof *graph->group)) return false;
    how.end                       = graph->ngroup_node;
    graph->group[graph->ngroup++] = how;
    return true;
}

bool cd_graph_add_vector_group(cd_graph* graph, int count, const cd_node* node)
{
    return add_group(graph, count, node, (cd_graph_vector_group){.next = CD_NO_NODE});
}
bool cd_graph_add_strip_group(cd_graph* graph, bool first, int count, const cd_node* node)
{
    return add_group(graph, count, node,
                     (cd_graph_vector_group){.in_strip = true, .follows_previous = !first, .next = CD_NO_NODE});
}
bool cd_graph_prepend_strip_group(cd_graph* graph, cd_node next, int count, const cd_node* node)
{
    return add_group(graph, count, node, (cd_graph_vector_group){.in_strip = true, .next = next});
}

void cd_graph_enable_pairs(cd_graph* graph) { graph->pairs_enabled = true; }
bool cd_graph_has_pairs(const cd_graph* graph) { return graph->pairs_enabled; }

bool cd_graph_add_pairs(cd_graph* graph, int count, const cd_node* one, const cd_node* other)
{
    for (int i = 0; graph->pairs_enabled && i < count; ++i) {
        if (one[i] < 0 || other[i] < 0 || one[i] == other[i]) continue;
        if (!make_room(graph, (void**)&graph->pair, &graph->cpair, graph->npair, sizeof *graph->pair)) return false;
        graph->pair[graph->npair][0]   = one[i];
        graph->pair[graph->npair++][1] = other[i];
    }
    return true;
}

cd_node cd_branch_constant(cd_graph* graph, double value, int tag)
{
    return cd_graph_intern(graph, (cd_node_data){.operation = CD_CONSTANT, .c = tag, .value = value});
}

void    cd_graph_mark_evaluation_order(cd_graph* graph) { graph->evaluation_order_start = graph->count; }
cd_node cd_graph_evaluation_order_start(const cd_graph* graph) { return graph->evaluation_order_start; }

// Constant node; one zero without sign, and one NaN.
cd_node cd_constant(cd_graph* graph, double value)
{
    if (value == 0) value = 0;
    if (isnan(value)) value = NAN;
    return cd_graph_intern(graph, (cd_node_data){.operation = CD_CONSTANT, .value = value});
}

cd_node cd_input(cd_graph* graph, int index)
{
    return cd_graph_intern(graph, (cd_node_data){.operation = CD_INPUT, .operand = {index, 0}});
}

cd_node cd_graph_find_input(const cd_graph* graph, int index)
{
    const cd_node_data item = {.operation = CD_INPUT, .operand = {index, 0}};
    return find_slot(graph, &item, hash_of(&item))->node;
}

int cd_graph_add_table(cd_graph* graph, int count, const double* x, const double* y, cd_interpolation kind)
{
    if (count < 1) return -1;
    if (!make_room(graph, (void**)&graph->table, &graph->ctable, graph->ntable, sizeof *graph->table)) return -1;
    if (!cd_table_create(&graph->table[graph->ntable], count, x, y, kind)) return graph->has_failed = true, -1;
    return graph->ntable++;
}

int cd_graph_borrow_table(cd_graph* graph, const cd_graph* from, int table)
{
    for (int i = 0; i < graph->ntable; ++i)
        if (graph->table[i].x == from->table[table].x) return i;
    if (!make_room(graph, (void**)&graph->table, &graph->ctable, graph->ntable, sizeof *graph->table)) return -1;
    graph->table[graph->ntable]             = from->table[table];
    graph->table[graph->ntable].is_borrowed = true;
    return graph->ntable++;
}

cd_operation cd_node_operation(const cd_graph* graph, cd_node node) { return graph->node_data[node].operation; }

cd_node cd_node_operand(const cd_graph* graph, cd_node node, int i)
{
    const cd_node_data* item = cd_node_data_at(graph, node);
    return i >= 0 && i < operations[item->operation].operands ? cd_node_data_operand(item, i) : CD_NO_NODE;
}

double cd_node_value(const cd_graph* graph, cd_node node)
{
    return cd_node_is(graph, node, CD_CONSTANT) ? graph->node_data[node].value : NAN;
}

int cd_node_index(const cd_graph* graph, cd_node node)
{
    const cd_node_data* item = cd_node_data_at(graph, node);
    return item->operation == CD_INPUT ? item->operand[0] : item->operation == CD_TABLE ? item->operand[1] : -1;
}

bool cd_node_is_constant(const cd_graph* graph, cd_node node, double* value)
{
    if (node < 0 || !cd_node_is(graph, node, CD_CONSTANT) || cd_node_is_branch_constant(graph, node)) return false;
    if (value) *value = graph->node_data[node].value;
    return true;
}
