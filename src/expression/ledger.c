// SPDX-License-Identifier: BSD-3-Clause
// Ledgers: values found by their bits, sign apart, in a hash table; and what a trace makes of them.
#include "expression/ledger.h"

#include "core/memory.h"
#include "expression/inside.h"
#include "expression/lift.h"

#include <stdlib.h>
#include <string.h>

typedef struct entry {
    uint64_t bits; // of the absolute value
    cd_node  node; // of the absolute value
} entry;

struct cd_ledger {
    cd_graph* graph;
    int       ninput;
    double*   value; // (ninput)
    entry*    entry;
    int       count, capacity;
    int*      slot;  // -1 where free
    int       slots; // a power of two, at least twice the count
    bool      failed;
};

enum { FIRST_SLOTS = 256 };

cd_ledger* cd_ledger_create(cd_graph* graph, int ninput)
{
    cd_ledger* l = cd_allocate(1, sizeof *l);
    if (!l) return NULL;
    l->graph  = graph;
    l->ninput = ninput;
    l->slots  = FIRST_SLOTS;
    l->value  = cd_allocate((size_t)ninput + 1, sizeof *l->value);
    l->slot   = malloc(FIRST_SLOTS * sizeof *l->slot);
    bool ok   = l->value && l->slot;
    if (ok) memset(l->slot, -1, FIRST_SLOTS * sizeof *l->slot);
    for (int i = 0; ok && i < ninput; ++i) {
        l->value[i] = NAN;
        ok          = cd_input(graph, i) >= 0;
    }
    if (ok) return l;
    cd_ledger_destroy(l);
    return NULL;
}

void cd_ledger_destroy(cd_ledger* l)
{
    if (!l) return;
    free(l->value);
    free(l->entry);
    free(l->slot);
    free(l);
}

int           cd_ledger_inputs(const cd_ledger* l) { return l ? l->ninput : 0; }
bool          cd_ledger_failed(const cd_ledger* l) { return l && (l->failed || cd_graph_failed(l->graph)); }
const double* cd_ledger_values(const cd_ledger* l) { return l ? l->value : NULL; }

static uint64_t bits_of(double value)
{
    uint64_t     bits;
    const double size = fabs(value);
    memcpy(&bits, &size, sizeof bits);
    return bits;
}

// Few digits: 36 of 52 bits are zero. Differences of larger numbers have fewer digits than others, and are carried all
// the same.
static bool is_plain(uint64_t bits) { return (bits & UINT64_C(0xfffffffff)) == 0; }

static int* slot_of(const cd_ledger* l, uint64_t bits)
{
    const uint64_t mask = (uint64_t)l->slots - 1;
    uint64_t       h    = bits * UINT64_C(0x9e3779b97f4a7c15);
    for (h = (h ^ h >> 32) & mask;; h = (h + 1) & mask)
        if (l->slot[h] < 0 || l->entry[l->slot[h]].bits == bits) return &l->slot[h];
}

static bool grow(cd_ledger* l)
{
    int* slot = malloc(2 * (size_t)l->slots * sizeof *slot);
    if (!slot) return false;
    free(l->slot);
    l->slot = slot;
    l->slots *= 2;
    memset(slot, -1, (size_t)l->slots * sizeof *slot);
    for (int i = 0; i < l->count; ++i) *slot_of(l, l->entry[i].bits) = i;
    return true;
}

double cd_ledger_enter(cd_ledger* l, double value, cd_node node)
{
    const uint64_t bits = bits_of(value);
    if (is_plain(bits) || cd_node_is_constant(l->graph, node, NULL)) return value;
    if (signbit(value)) node = cd_unary(l->graph, CD_NEG, node);
    if (node < 0 || (2 * (l->count + 1) > l->slots && !grow(l)) ||
        !cd_grow((void**)&l->entry, &l->capacity, l->count, sizeof *l->entry))
        return l->failed = true, value;
    int* slot = slot_of(l, bits);
    if (*slot >= 0) return value;
    l->entry[l->count] = (entry){bits, node};
    *slot              = l->count++;
    return value;
}

void cd_ledger_set(cd_ledger* l, int input, double value)
{
    l->value[input] = value;
    cd_ledger_enter(l, value, cd_input(l->graph, input));
}

static int place_of(const cd_ledger* l, double value)
{
    const uint64_t bits = bits_of(value);
    return !l || is_plain(bits) ? -1 : *slot_of(l, bits);
}

cd_node cd_ledger_find(const cd_ledger* l, double value)
{
    const int at = place_of(l, value);
    if (at < 0) return CD_NO_NODE;
    return signbit(value) ? cd_unary(l->graph, CD_NEG, l->entry[at].node) : l->entry[at].node;
}

cd_node cd_ledger_node(cd_ledger* l, cd_graph* graph, double value)
{
    const cd_node node = cd_ledger_find(l, value);
    return node >= 0 ? node : cd_constant(graph, value);
}

double cd_ledger_apply(cd_ledger* l, cd_operation operation, double a, double b, double result)
{
    const cd_node x = cd_ledger_find(l, a), y = cd_ledger_find(l, b);
    if (x < 0 && y < 0) return result;
    const cd_node left = x < 0 ? cd_constant(l->graph, a) : x;
    if (cd_operation_operands(operation) == 1) return cd_ledger_enter(l, result, cd_unary(l->graph, operation, left));
    return cd_ledger_enter(l, result, cd_binary(l->graph, operation, left, y < 0 ? cd_constant(l->graph, b) : y));
}

int cd_ledger_parameter(const cd_ledger* l, double value)
{
    const cd_node node  = cd_ledger_find(l, value);
    bool*         seen  = node < 0 ? NULL : cd_allocate((size_t)l->ninput + 1, sizeof *seen);
    int           found = -1;
    if (seen && cd_dependence(l->graph, 1, &node, l->ninput, seen) == CARDAN_OK)
        for (int i = l->ninput - 1; i >= 0; --i)
            if (seen[i]) found = i;
    free(seen);
    return found;
}

// ---- traces

_Thread_local cd_lift* cd_lifting = NULL;

void cd_lift_begin(cd_lift* lift, const cd_ledger* ledger, cd_graph* graph, int first)
{
    *lift = (cd_lift){.ledger = ledger, .graph = graph, .first = first, .outer = cd_lifting};
    if (ledger) cd_lifting = lift;
}

bool cd_lift_end(cd_lift* lift)
{
    if (lift->ledger) cd_lifting = lift->outer;
    free(lift->node);
    lift->node = NULL;
    return !lift->failed;
}

// A node of the ledger's graph in that of the trace.
static cd_node copied(const cd_lift* lift, const cd_reached* at, const cd_node* now)
{
    const cd_item* item = cd_item_at(lift->ledger->graph, at->node);
    const int      n    = cd_operation_operands((cd_operation)item->operation);
    for (int i = 0; i < n; ++i)
        if (now[at->operand[i]] < 0) return CD_NO_NODE;
    switch (item->operation) {
    case CD_CONSTANT:
        return cd_constant(lift->graph, item->value);
    case CD_INPUT:
        return cd_input(lift->graph, lift->first + item->operand[0]);
    case CD_TABLE: {
        const int table = cd_graph_borrow_table(lift->graph, lift->ledger->graph, item->operand[1]);
        return table < 0 ? CD_NO_NODE : cd_lookup(lift->graph, table, now[at->operand[0]], item->derivative);
    }
    default:
        break;
    }
    if (n == 1) return cd_unary(lift->graph, (cd_operation)item->operation, now[at->operand[0]]);
    if (n == 2) return cd_binary(lift->graph, (cd_operation)item->operation, now[at->operand[0]], now[at->operand[1]]);
    return cd_if(lift->graph, now[at->operand[0]], now[at->operand[1]], now[at->operand[2]]);
}

static cd_node copy(const cd_lift* lift, cd_node node)
{
    cd_reach reach;
    if (!cd_reach_collect(&reach, lift->ledger->graph, 1, &node)) return CD_NO_NODE;
    cd_node* now    = cd_allocate((size_t)reach.count + 1, sizeof *now);
    cd_node  result = CD_NO_NODE;
    for (int i = 0; now && i < reach.count; ++i) result = now[i] = copied(lift, &reach.list[i], now);
    free(now);
    cd_reach_release(&reach);
    return result;
}

cd_node cd_lift_number(cd_lift* lift, double value)
{
    const int at = place_of(lift->ledger, value);
    if (at < 0) return CD_NO_NODE;
    if (at >= lift->capacity) {
        const int capacity = lift->ledger->count + 64;
        cd_node*  node     = realloc(lift->node, (size_t)capacity * sizeof *node);
        if (!node) return lift->failed = true, CD_NO_NODE;
        for (int i = lift->capacity; i < capacity; ++i) node[i] = CD_NO_NODE;
        lift->node     = node;
        lift->capacity = capacity;
    }
    if (lift->node[at] < 0) lift->node[at] = copy(lift, lift->ledger->entry[at].node);
    const cd_node node =
        lift->node[at] >= 0 && signbit(value) ? cd_unary(lift->graph, CD_NEG, lift->node[at]) : lift->node[at];
    lift->failed = lift->failed || node < 0;
    return node;
}
