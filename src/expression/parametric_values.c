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
    cd_parametric* parametric = cd_allocate(1, sizeof *parametric);
    if (!parametric) return NULL;
    parametric->graph  = graph;
    parametric->ninput = ninput;
    parametric->nslot  = INITIAL_SLOTS;
    parametric->value  = cd_allocate((size_t)ninput + 1, sizeof *parametric->value);
    parametric->slot   = malloc(INITIAL_SLOTS * sizeof *parametric->slot);
    bool ok            = parametric->value && parametric->slot;
    if (ok) memset(parametric->slot, -1, INITIAL_SLOTS * sizeof *parametric->slot);
    for (int i = 0; ok && i < ninput; ++i) {
        parametric->value[i] = NAN;
        ok                   = cd_input(graph, i) >= 0;
    }
    if (ok) return parametric;
    cd_parametric_destroy(parametric);
    return NULL;
}

void cd_parametric_destroy(cd_parametric* parametric)
{
    if (!parametric) return;
    free(parametric->value);
    free(parametric->entry);
    free(parametric->slot);
    free(parametric);
}

int  cd_parametric_input_count(const cd_parametric* parametric) { return parametric ? parametric->ninput : 0; }
bool cd_parametric_has_failed(const cd_parametric* parametric)
{
    return parametric && (parametric->has_failed || cd_graph_has_failed(parametric->graph));
}
const double* cd_parametric_input_values(const cd_parametric* parametric)
{
    return parametric ? parametric->value : NULL;
}

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

static int* slot_of(const cd_parametric* parametric, uint64_t bits)
{
    const uint64_t mask = (uint64_t)parametric->nslot - 1;
    uint64_t       h    = bits * UINT64_C(0x9e3779b97f4a7c15);
    for (h = (h ^ h >> 32) & mask;; h = (h + 1) & mask)
        if (parametric->slot[h] < 0 || parametric->entry[parametric->slot[h]].bits == bits) return &parametric->slot[h];
}

static bool grow(cd_parametric* parametric)
{
    int* slot = malloc(2 * (size_t)parametric->nslot * sizeof *slot);
    if (!slot) return false;
    free(parametric->slot);
    parametric->slot = slot;
    parametric->nslot *= 2;
    memset(slot, -1, (size_t)parametric->nslot * sizeof *slot);
    for (int i = 0; i < parametric->count; ++i) *slot_of(parametric, parametric->entry[i].bits) = i;
    return true;
}

double cd_parametric_register(cd_parametric* parametric, double value, cd_node node)
{
    const uint64_t bits = bits_of(value);
    if (has_few_digits(bits) || cd_node_is_constant(parametric->graph, node, NULL)) return value;
    if (signbit(value)) node = cd_unary(parametric->graph, CD_NEG, node);
    if (node < 0 || (2 * (parametric->count + 1) > parametric->nslot && !grow(parametric)) ||
        !cd_array_grow((void**)&parametric->entry, &parametric->capacity, parametric->count, sizeof *parametric->entry))
        return parametric->has_failed = true, value;
    int* slot = slot_of(parametric, bits);
    if (*slot >= 0) return value;
    parametric->entry[parametric->count] = (parametric_entry){bits, node};
    *slot                                = parametric->count++;
    return value;
}

void cd_parametric_set_input(cd_parametric* parametric, int input, double value)
{
    parametric->value[input] = value;
    cd_parametric_register(parametric, value, cd_input(parametric->graph, input));
}

static int entry_of(const cd_parametric* parametric, double value)
{
    const uint64_t bits = bits_of(value);
    return !parametric || has_few_digits(bits) ? -1 : *slot_of(parametric, bits);
}

cd_node cd_parametric_find(const cd_parametric* parametric, double value)
{
    const int at = entry_of(parametric, value);
    if (at < 0) return CD_NO_NODE;
    return signbit(value) ? cd_unary(parametric->graph, CD_NEG, parametric->entry[at].node)
                          : parametric->entry[at].node;
}

cd_node cd_parametric_node(cd_parametric* parametric, cd_graph* graph, double value)
{
    const cd_node node = cd_parametric_find(parametric, value);
    return node >= 0 ? node : cd_constant(graph, value);
}

double cd_parametric_apply(cd_parametric* parametric, cd_operation operation, double a, double b, double result)
{
    const cd_node x = cd_parametric_find(parametric, a), y = cd_parametric_find(parametric, b);
    if (x < 0 && y < 0) return result;
    const cd_node operand = x < 0 ? cd_constant(parametric->graph, a) : x;
    if (cd_operation_operands(operation) == 1)
        return cd_parametric_register(parametric, result, cd_unary(parametric->graph, operation, operand));
    return cd_parametric_register(
        parametric, result,
        cd_binary(parametric->graph, operation, operand, y < 0 ? cd_constant(parametric->graph, b) : y));
}

int cd_parametric_parameter_of(const cd_parametric* parametric, double value)
{
    const cd_node node    = cd_parametric_find(parametric, value);
    bool*         visited = node < 0 ? NULL : cd_allocate((size_t)parametric->ninput + 1, sizeof *visited);
    int           found   = -1;
    if (visited && cd_dependence(parametric->graph, 1, &node, parametric->ninput, visited) == CARDAN_OK)
        for (int i = parametric->ninput - 1; i >= 0; --i)
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
