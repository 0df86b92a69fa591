// SPDX-License-Identifier: BSD-3-Clause
// The store of the graph: every expression once, found by a hash of its bytes.
// Open addressing, load at most one half; nodes are never removed, so that an index stays valid.
#include "expression/inside.h"

#include "core/memory.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 64 };

static const struct {
    const char* text;
    int         operands;
} operations[] = {
#define OPERATION_ROW(name, operands, text) {text, operands},
    CD_OPERATION_LIST(OPERATION_ROW)
#undef OPERATION_ROW
};

int         cd_operation_operands(cd_operation operation) { return operations[operation].operands; }
const char* cd_operation_text(cd_operation operation) { return operations[operation].text; }

int  cd_graph_size(const cd_graph* graph) { return graph->count; }
void cd_graph_limit(cd_graph* graph, int most) { graph->most = most; }
bool cd_graph_full(const cd_graph* graph) { return graph->full; }
bool cd_graph_failed(const cd_graph* graph) { return graph->failed; }

// Room for one more entry of a list of the graph.
static bool make_room(cd_graph* graph, void** list, int* capacity, int count, size_t size)
{
    if (cd_grow(list, capacity, count, size)) return true;
    graph->failed = true;
    return false;
}

static void words_of(const cd_item* item, uint64_t word[2])
{
    _Static_assert(sizeof *item == 2 * sizeof *word, "an item is two words");
    memcpy(word, item, sizeof *item);
}

// A multiply-and-shift mixer: every bit of both words moves the low bits of the result.
static uint32_t hash_of(const cd_item* item)
{
    uint64_t word[2];
    words_of(item, word);
    uint64_t h = word[0] * UINT64_C(0x9e3779b97f4a7c15) ^ word[1];
    h ^= h >> 32;
    h *= UINT64_C(0xd6e8feb86659fd93);
    h ^= h >> 32;
    h *= UINT64_C(0xd6e8feb86659fd93);
    return (uint32_t)(h ^ h >> 32);
}

static bool is_same(const cd_item* a, const cd_item* b)
{
    uint64_t wa[2], wb[2];
    words_of(a, wa);
    words_of(b, wb);
    return wa[0] == wb[0] && wa[1] == wb[1];
}

// The slot that holds the item, or the free one where it belongs.
static cd_slot* find_slot(const cd_graph* graph, const cd_item* item, uint32_t hash)
{
    const uint32_t mask = (uint32_t)graph->slots - 1;
    for (uint32_t s = hash & mask;; s = (s + 1) & mask) {
        cd_slot* slot = &graph->slot[s];
        if (slot->node < 0 || (slot->hash == hash && is_same(&graph->item[slot->node], item))) return slot;
    }
}

static cd_slot* make_slots(int count)
{
    cd_slot* slot = malloc((size_t)count * sizeof *slot);
    for (int i = 0; slot && i < count; ++i) slot[i] = (cd_slot){-1, 0};
    return slot;
}

cd_graph* cd_graph_create(void)
{
    cd_graph* graph = cd_allocate(1, sizeof *graph);
    if (!graph) return NULL;
    graph->most  = INT_MAX;
    graph->slots = FIRST_SLOTS;
    graph->slot  = make_slots(FIRST_SLOTS);
    if (graph->slot) return graph;
    free(graph);
    return NULL;
}

cd_graph* cd_graph_create_traced(void)
{
    cd_graph* graph = cd_graph_create();
    if (graph) graph->traced = true;
    return graph;
}

void cd_graph_destroy(cd_graph* graph)
{
    if (!graph) return;
    for (int i = 0; i < graph->ntable; ++i)
        if (!graph->table[i].borrowed) cd_table_release(&graph->table[i]);
    free(graph->table);
    free(graph->item);
    free(graph->pack);
    free(graph->packed);
    free(graph->twin);
    free(graph->slot);
    free(graph);
}

// Twice the slots. All nodes differ, so that each goes to the first free place.
static bool rehash(cd_graph* graph)
{
    if (graph->slots > INT_MAX / 2) return false;
    const int      slots = 2 * graph->slots;
    const uint32_t mask  = (uint32_t)slots - 1;
    cd_slot*       slot  = make_slots(slots);
    if (!slot) return false;
    for (int i = 0; i < graph->slots; ++i) {
        if (graph->slot[i].node < 0) continue;
        uint32_t s = graph->slot[i].hash & mask;
        while (slot[s].node >= 0) s = (s + 1) & mask;
        slot[s] = graph->slot[i];
    }
    free(graph->slot);
    graph->slot  = slot;
    graph->slots = slots;
    return true;
}

cd_node cd_intern(cd_graph* graph, cd_item item)
{
    const uint32_t hash = hash_of(&item);
    cd_slot*       slot = find_slot(graph, &item, hash);
    if (slot->node >= 0) return slot->node;
    if (graph->count >= graph->most) return graph->full = true, CD_NO_NODE;
    if (graph->count >= graph->slots / 2) {
        if (!rehash(graph)) return graph->failed = true, CD_NO_NODE;
        slot = find_slot(graph, &item, hash);
    }
    if (!make_room(graph, (void**)&graph->item, &graph->capacity, graph->count, sizeof item)) return CD_NO_NODE;
    graph->item[graph->count] = item;
    *slot                     = (cd_slot){graph->count, hash};
    return graph->count++;
}

void cd_graph_allow_packs(cd_graph* graph) { graph->packs = true; }
bool cd_graph_packs(const cd_graph* graph) { return graph->packs; }

cd_node cd_hold(cd_graph* graph, cd_node a)
{
    if (a < 0 || !graph->packs) return a;
    return cd_intern(graph, (cd_item){.operation = CD_HOLD, .operand = {a, graph->nhold++}});
}

static bool add_pack(cd_graph* graph, int count, const cd_node* node, cd_pack_end how)
{
    if (!graph->packs) return true;
    for (int i = 0; i < count; ++i) {
        if (!make_room(graph, (void**)&graph->packed, &graph->cpacked, graph->npacked, sizeof *node)) return false;
        graph->packed[graph->npacked++] = node[i];
    }
    if (!make_room(graph, (void**)&graph->pack, &graph->cpack, graph->npack, sizeof *graph->pack)) return false;
    how.end                     = graph->npacked;
    graph->pack[graph->npack++] = how;
    return true;
}

bool cd_pack(cd_graph* graph, int count, const cd_node* node)
{
    return add_pack(graph, count, node, (cd_pack_end){.next = CD_NO_NODE});
}
bool cd_pack_in_row(cd_graph* graph, bool first, int count, const cd_node* node)
{
    return add_pack(graph, count, node, (cd_pack_end){.row = true, .behind = !first, .next = CD_NO_NODE});
}
bool cd_pack_before(cd_graph* graph, cd_node next, int count, const cd_node* node)
{
    return add_pack(graph, count, node, (cd_pack_end){.row = true, .next = next});
}

void cd_graph_allow_twins(cd_graph* graph) { graph->twins = true; }
bool cd_graph_twins(const cd_graph* graph) { return graph->twins; }

bool cd_twins(cd_graph* graph, int count, const cd_node* one, const cd_node* other)
{
    for (int i = 0; graph->twins && i < count; ++i) {
        if (one[i] < 0 || other[i] < 0 || one[i] == other[i]) continue;
        if (!make_room(graph, (void**)&graph->twin, &graph->ctwin, graph->ntwin, sizeof *graph->twin)) return false;
        graph->twin[graph->ntwin][0]   = one[i];
        graph->twin[graph->ntwin++][1] = other[i];
    }
    return true;
}

cd_node cd_constant_of_side(cd_graph* graph, double value, int tag)
{
    return cd_intern(graph, (cd_item){.operation = CD_CONSTANT, .c = tag, .value = value});
}

void    cd_graph_order_from_here(cd_graph* graph) { graph->ordered = graph->count; }
cd_node cd_graph_ordered_from(const cd_graph* graph) { return graph->ordered; }

// There is one zero, without sign, and one NaN.
cd_node cd_constant(cd_graph* graph, double value)
{
    if (value == 0) value = 0;
    if (isnan(value)) value = NAN;
    return cd_intern(graph, (cd_item){.operation = CD_CONSTANT, .value = value});
}

cd_node cd_input(cd_graph* graph, int index)
{
    return cd_intern(graph, (cd_item){.operation = CD_INPUT, .operand = {index, 0}});
}

cd_node cd_find_input(const cd_graph* graph, int index)
{
    const cd_item item = {.operation = CD_INPUT, .operand = {index, 0}};
    return find_slot(graph, &item, hash_of(&item))->node;
}

int cd_graph_add_table(cd_graph* graph, int count, const double* x, const double* y, cd_table_kind kind)
{
    if (count < 1) return -1;
    if (!make_room(graph, (void**)&graph->table, &graph->ctable, graph->ntable, sizeof *graph->table)) return -1;
    if (!cd_table_create(&graph->table[graph->ntable], count, x, y, kind)) return graph->failed = true, -1;
    return graph->ntable++;
}

int cd_graph_borrow_table(cd_graph* graph, const cd_graph* from, int table)
{
    for (int i = 0; i < graph->ntable; ++i)
        if (graph->table[i].x == from->table[table].x) return i;
    if (!make_room(graph, (void**)&graph->table, &graph->ctable, graph->ntable, sizeof *graph->table)) return -1;
    graph->table[graph->ntable]          = from->table[table];
    graph->table[graph->ntable].borrowed = true;
    return graph->ntable++;
}

cd_operation cd_node_operation(const cd_graph* graph, cd_node node) { return graph->item[node].operation; }

cd_node cd_node_operand(const cd_graph* graph, cd_node node, int i)
{
    const cd_item* item = cd_item_at(graph, node);
    return i >= 0 && i < operations[item->operation].operands ? cd_item_operand(item, i) : CD_NO_NODE;
}

double cd_node_value(const cd_graph* graph, cd_node node)
{
    return cd_is(graph, node, CD_CONSTANT) ? graph->item[node].value : NAN;
}

int cd_node_index(const cd_graph* graph, cd_node node)
{
    const cd_item* item = cd_item_at(graph, node);
    return item->operation == CD_INPUT ? item->operand[0] : item->operation == CD_TABLE ? item->operand[1] : -1;
}

bool cd_node_is_constant(const cd_graph* graph, cd_node node, double* value)
{
    if (node < 0 || !cd_is(graph, node, CD_CONSTANT) || cd_is_of_side(graph, node)) return false;
    if (value) *value = graph->item[node].value;
    return true;
}
