// SPDX-License-Identifier: BSD-3-Clause
// Parametric values: found by their bits without sign in a hash table; and their nodes in a trace.
#include "expression/parametric_values.h"

#include "core/memory.h"
#include "expression/graph_internal.h"
#include "expression/trace_parameters.h"

#include <stdlib.h>
#include <string.h>

typedef struct parametric_entry {
    uint64_t bits; // of the absolute value
    cd_node  node; // of the absolute value
} parametric_entry;

struct cd_parametric {
    cd_graph*         graph;
    int               ninput;
    double*           value; // (ninput)
    parametric_entry* entry;
    int               count, capacity;
    int*              slot;  // -1: free
    int               nslot; // a power of two, at least twice the count
    bool              has_failed;
};

enum { INITIAL_SLOTS = 256 };

cd_parametric* cd_parametric_create(cd_graph* graph, int ninput)
{
    cd_parametric* l = cd_allocate(1, sizeof *l);
    if (!l) return NULL;
    l->graph  = graph;
    l->ninput = ninput;
    l->nslot  = INITIAL_SLOTS;
    l->value  = cd_allocate((size_t)ninput + 1, sizeof *l->value);
    l->slot   = malloc(INITIAL_SLOTS * sizeof *l->slot);
    bool ok   = l->value && l->slot;
    if (ok) memset(l->slot, -1, INITIAL_SLOTS * sizeof *l->slot);
    for (int i = 0; ok && i < ninput; ++i) {
        l->value[i] = NAN;
        ok          = cd_input(graph, i) >= 0;
    }
    if (ok) return l;
    cd_parametric_destroy(l);
    return NULL;
}

void cd_parametric_destroy(cd_parametric* l)
{
    if (!l) return;
    free(l->value);
    free(l->entry);
    free(l->slot);
    free(l);
}

int  cd_parametric_input_count(const cd_parametric* l) { return l ? l->ninput : 0; }
bool cd_parametric_has_failed(const cd_parametric* l) { return l && (l->has_failed || cd_graph_has_failed(l->graph)); }
const double* cd_parametric_input_values(const cd_parametric* l) { return l ? l->value : NULL; }

static uint64_t bits_of(double value)
{
    uint64_t     bits;
    const double size = fabs(value);
    memcpy(&bits, &size, sizeof bits);
    return bits;
}

// Few digits: the last 36 of 52 bits are zero. Differences of larger numbers have fewer digits than others, and are
// registered all the same.
static bool has_few_digits(uint64_t bits) { return (bits & UINT64_C(0xfffffffff)) == 0; }

static int* slot_of(const cd_parametric* l, uint64_t bits)
{
    const uint64_t mask = (uint64_t)l->nslot - 1;
    uint64_t       h    = bits * UINT64_C(0x9e3779b97f4a7c15);
    for (h = (h ^ h >> 32) & mask;; h = (h + 1) & mask)
        if (l->slot[h] < 0 || l->entry[l->slot[h]].bits == bits) return &l->slot[h];
}

static bool grow(cd_parametric* l)
{
    int* slot = malloc(2 * (size_t)l->nslot * sizeof *slot);
    if (!slot) return false;
    free(l->slot);
    l->slot = slot;
    l->nslot *= 2;
    memset(slot, -1, (size_t)l->nslot * sizeof *slot);
    for (int i = 0; i < l->count; ++i) *slot_of(l, l->entry[i].bits) = i;
    return true;
}

double cd_parametric_register(cd_parametric* l, double value, cd_node node)
{
    const uint64_t bits = bits_of(value);
    if (has_few_digits(bits) || cd_node_is_constant(l->graph, node, NULL)) return value;
    if (signbit(value)) node = cd_unary(l->graph, CD_NEG, node);
    if (node < 0 || (2 * (l->count + 1) > l->nslot && !grow(l)) ||
        !cd_array_grow((void**)&l->entry, &l->capacity, l->count, sizeof *l->entry))
        return l->has_failed = true, value;
    int* slot = slot_of(l, bits);
    if (*slot >= 0) return value;
    l->entry[l->count] = (parametric_entry){bits, node};
    *slot              = l->count++;
    return value;
}

void cd_parametric_set_input(cd_parametric* l, int input, double value)
{
    l->value[input] = value;
    cd_parametric_register(l, value, cd_input(l->graph, input));
}

static int entry_of(const cd_parametric* l, double value)
{
    const uint64_t bits = bits_of(value);
    return !l || has_few_digits(bits) ? -1 : *slot_of(l, bits);
}

cd_node cd_parametric_find(const cd_parametric* l, double value)
{
    const int at = entry_of(l, value);
    if (at < 0) return CD_NO_NODE;
    return signbit(value) ? cd_unary(l->graph, CD_NEG, l->entry[at].node) : l->entry[at].node;
}

cd_node cd_parametric_node(cd_parametric* l, cd_graph* graph, double value)
{
    const cd_node node = cd_parametric_find(l, value);
    return node >= 0 ? node : cd_constant(graph, value);
}

double cd_parametric_apply(cd_parametric* l, cd_operation operation, double a, double b, double result)
{
    const cd_node x = cd_parametric_find(l, a), y = cd_parametric_find(l, b);
    if (x < 0 && y < 0) return result;
    const cd_node operand = x < 0 ? cd_constant(l->graph, a) : x;
    if (cd_operation_operands(operation) == 1)
        return cd_parametric_register(l, result, cd_unary(l->graph, operation, operand));
    return cd_parametric_register(l, result,
                                  cd_binary(l->graph, operation, operand, y < 0 ? cd_constant(l->graph, b) : y));
}

int cd_parametric_parameter_of(const cd_parametric* l, double value)
{
    const cd_node node    = cd_parametric_find(l, value);
    bool*         visited = node < 0 ? NULL : cd_allocate((size_t)l->ninput + 1, sizeof *visited);
    int           found   = -1;
    if (visited && cd_dependence(l->graph, 1, &node, l->ninput, visited) == CARDAN_OK)
        for (int i = l->ninput - 1; i >= 0; --i)
            if (visited[i]) found = i;
    free(visited);
    return found;
}

// ---- traces

_Thread_local cd_trace_parameters* cd_trace_parameters_active = NULL;

void cd_trace_parameters_begin(cd_trace_parameters* trace, const cd_parametric* parametric, cd_graph* graph, int first)
{
    *trace = (cd_trace_parameters){
        .parametric = parametric, .graph = graph, .first_input = first, .outer = cd_trace_parameters_active};
    if (parametric) cd_trace_parameters_active = trace;
}

bool cd_trace_parameters_end(cd_trace_parameters* trace)
{
    if (trace->parametric) cd_trace_parameters_active = trace->outer;
    free(trace->cached_node);
    trace->cached_node = NULL;
    return !trace->has_failed;
}

// Copy of a node of the parametric graph in the graph of the trace.
static cd_node copied_node(const cd_trace_parameters* trace, const cd_subgraph_entry* at, const cd_node* now)
{
    const cd_node_data* item = cd_node_data_at(trace->parametric->graph, at->node);
    const int           n    = cd_operation_operands((cd_operation)item->operation);
    for (int i = 0; i < n; ++i)
        if (now[at->operand[i]] < 0) return CD_NO_NODE;
    switch (item->operation) {
    case CD_CONSTANT:
        return cd_constant(trace->graph, item->value);
    case CD_INPUT:
        return cd_input(trace->graph, trace->first_input + item->operand[0]);
    case CD_TABLE: {
        const int table = cd_graph_borrow_table(trace->graph, trace->parametric->graph, item->operand[1]);
        return table < 0 ? CD_NO_NODE : cd_table_lookup(trace->graph, table, now[at->operand[0]], item->derivative);
    }
    default:
        break;
    }
    if (n == 1) return cd_unary(trace->graph, (cd_operation)item->operation, now[at->operand[0]]);
    if (n == 2) return cd_binary(trace->graph, (cd_operation)item->operation, now[at->operand[0]], now[at->operand[1]]);
    return cd_if(trace->graph, now[at->operand[0]], now[at->operand[1]], now[at->operand[2]]);
}

static cd_node copy_to_trace(const cd_trace_parameters* trace, cd_node node)
{
    cd_subgraph subgraph;
    if (!cd_subgraph_collect(&subgraph, trace->parametric->graph, 1, &node)) return CD_NO_NODE;
    cd_node* now    = cd_allocate((size_t)subgraph.count + 1, sizeof *now);
    cd_node  result = CD_NO_NODE;
    for (int i = 0; now && i < subgraph.count; ++i) result = now[i] = copied_node(trace, &subgraph.entry[i], now);
    free(now);
    cd_subgraph_release(&subgraph);
    return result;
}

cd_node cd_trace_parameters_node(cd_trace_parameters* trace, double value)
{
    const int at = entry_of(trace->parametric, value);
    if (at < 0) return CD_NO_NODE;
    if (at >= trace->capacity) {
        const int capacity = trace->parametric->count + 64;
        cd_node*  node     = realloc(trace->cached_node, (size_t)capacity * sizeof *node);
        if (!node) return trace->has_failed = true, CD_NO_NODE;
        for (int i = trace->capacity; i < capacity; ++i) node[i] = CD_NO_NODE;
        trace->cached_node = node;
        trace->capacity    = capacity;
    }
    if (trace->cached_node[at] < 0) trace->cached_node[at] = copy_to_trace(trace, trace->parametric->entry[at].node);
    const cd_node node = trace->cached_node[at] >= 0 && signbit(value)
                             ? cd_unary(trace->graph, CD_NEG, trace->cached_node[at])
                             : trace->cached_node[at];
    trace->has_failed  = trace->has_failed || node < 0;
    return node;
}
