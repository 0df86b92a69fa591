// SPDX-License-Identifier: BSD-3-Clause
// Tapes: the subgraph of some outputs as a list of instructions over slots of one array. Constants are in the first
// slots, inputs behind them; a slot is free after the last use of its value, and the slot freed last is reused first.
// Constants and outputs keep their slots.
#include "expression/graph_internal.h"

#include "core/memory.h"

#include <stdlib.h>
#include <string.h>

// Free slots, and total number of slots.
typedef struct slot_pool {
    int* free_slot;
    int  nfree, count;
} slot_pool;

static int allocate_slot(slot_pool* s) { return s->nfree > 0 ? s->free_slot[--s->nfree] : s->count++; }

static void count_kinds(const cd_graph* graph, const cd_subgraph* subgraph, cd_tape* tape)
{
    for (int i = 0; i < subgraph->count; ++i) {
        const cd_operation operation = cd_node_operation(graph, subgraph->entry[i].node);
        if (operation == CD_CONSTANT)
            ++tape->nconstant;
        else if (operation == CD_INPUT)
            ++tape->ninput;
        else
            ++tape->ncode;
    }
}

static bool reserve(cd_tape* tape)
{
    tape->code     = cd_allocate((size_t)tape->ncode, sizeof *tape->code);
    tape->constant = cd_allocate((size_t)tape->nconstant, sizeof *tape->constant);
    tape->input    = cd_allocate((size_t)tape->ninput, sizeof *tape->input);
    tape->output   = cd_allocate((size_t)tape->noutput, sizeof *tape->output);
    return tape->code && tape->constant && tape->input && tape->output;
}

// Assign slots of constants and inputs; `slot` by position.
static void assign_leaf_slots(const cd_graph* graph, const cd_subgraph* subgraph, cd_tape* tape, int* slot)
{
    int c = 0, k = 0;
    for (int i = 0; i < subgraph->count; ++i) {
        const cd_node_data* item = cd_node_data_at(graph, subgraph->entry[i].node);
        if (item->operation == CD_CONSTANT) {
            tape->constant[c] = item->value;
            slot[i]           = c++;
        } else if (item->operation == CD_INPUT) {
            slot[i]          = tape->nconstant + k;
            tape->input[k++] = (cd_input_slot){item->operand[0], slot[i]};
        }
    }
}

// Last use of each value, by position; the end of the list for values that must stay.
static void find_last_uses(const cd_graph* graph, const cd_subgraph* subgraph, int noutput, const cd_node* output,
                           int* last)
{
    for (int i = 0; i < subgraph->count; ++i) {
        last[i] = cd_node_is(graph, subgraph->entry[i].node, CD_CONSTANT) ? subgraph->count : i;
        for (int k = 0; k < 3; ++k) {
            const int operand = subgraph->entry[i].operand[k];
            if (operand >= 0 && last[operand] < subgraph->count) last[operand] = i;
        }
    }
    for (int i = 0; i < noutput; ++i)
        if (output[i] >= 0) last[cd_subgraph_find(subgraph, output[i])] = subgraph->count;
}

static void write_code(const cd_graph* graph, const cd_subgraph* subgraph, cd_tape* tape, int* slot, const int* last,
                       int* free_slots)
{
    slot_pool s = {free_slots, 0, tape->nconstant + tape->ninput};
    int       n = 0;
    for (int i = 0; i < subgraph->count; ++i) {
        const cd_node_data* item     = cd_node_data_at(graph, subgraph->entry[i].node);
        const int           operands = cd_operation_operands(item->operation);
        if (operands == 0) continue;
        cd_instruction* at = &tape->code[n++];
        at->operation      = item->operation;
        at->derivative     = item->derivative;
        for (int k = 0; k < 3; ++k) at->operand[k] = slot[subgraph->entry[i].operand[k < operands ? k : 0]];
        if (item->operation == CD_TABLE) at->operand[1] = item->operand[1];
        for (int k = 0; k < operands; ++k) {
            const int  operand = subgraph->entry[i].operand[k];
            const bool again   = (k > 0 && operand == subgraph->entry[i].operand[0]) ||
                               (k > 1 && operand == subgraph->entry[i].operand[1]);
            if (last[operand] == i && !again) s.free_slot[s.nfree++] = slot[operand];
        }
        slot[i] = at->result = allocate_slot(&s);
    }
    tape->nslot = s.count;
}

static bool compile_tape(const cd_graph* graph, const cd_subgraph* subgraph, const cd_node* output, cd_tape* tape)
{
    int* const memory = cd_allocate((size_t)subgraph->count, 3 * sizeof *memory);
    count_kinds(graph, subgraph, tape);
    if (!memory || !reserve(tape)) {
        free(memory);
        return false;
    }
    int *const slot = memory, *const last = memory + subgraph->count, *const free_slots = last + subgraph->count;
    assign_leaf_slots(graph, subgraph, tape, slot);
    find_last_uses(graph, subgraph, tape->noutput, output, last);
    write_code(graph, subgraph, tape, slot, last, free_slots);
    for (int i = 0; i < tape->noutput; ++i)
        tape->output[i] = output[i] >= 0 ? slot[cd_subgraph_find(subgraph, output[i])] : -1;
    free(memory);
    return true;
}

cd_tape* cd_tape_create(const cd_graph* graph, int noutput, const cd_node* output)
{
    cd_subgraph subgraph;
    if (!cd_subgraph_collect(&subgraph, graph, noutput, output)) return NULL;
    cd_tape* tape = cd_allocate(1, sizeof *tape);
    if (tape) {
        tape->graph   = graph;
        tape->noutput = noutput;
        if (!compile_tape(graph, &subgraph, output, tape)) {
            cd_tape_destroy(tape);
            tape = NULL;
        }
    }
    cd_subgraph_release(&subgraph);
    return tape;
}

void cd_tape_destroy(cd_tape* tape)
{
    if (!tape) return;
    free(tape->code);
    free(tape->constant);
    free(tape->input);
    free(tape->output);
    free(tape);
}

int cd_tape_work(const cd_tape* tape) { return tape->nslot; }

void cd_tape_run(const cd_tape* tape, const double* input, double* work, double* output)
{
    if (tape->nconstant > 0) memcpy(work, tape->constant, (size_t)tape->nconstant * sizeof *work);
    for (int i = 0; i < tape->ninput; ++i) work[tape->input[i].slot] = input[tape->input[i].input];
    for (int i = 0; i < tape->ncode; ++i) {
        const cd_instruction* at = &tape->code[i];
        const double          a  = work[at->operand[0]];
        if (at->operation == CD_TABLE)
            work[at->result] = cd_table_value(&tape->graph->table[at->operand[1]], at->derivative, a);
        else
            work[at->result] =
                cd_operation_value((cd_operation)at->operation, a, work[at->operand[1]], work[at->operand[2]]);
    }
    for (int i = 0; i < tape->noutput; ++i) output[i] = tape->output[i] < 0 ? 0 : work[tape->output[i]];
}

// Sums, products, quotients and roots of floats, computed in double and rounded once, are correctly rounded.
void cd_tape_run_single(const cd_tape* tape, const double* input, double* work, double* output)
{
    for (int i = 0; i < tape->nconstant; ++i) work[i] = (double)(float)tape->constant[i];
    for (int i = 0; i < tape->ninput; ++i) work[tape->input[i].slot] = (double)(float)input[tape->input[i].input];
    for (int i = 0; i < tape->ncode; ++i) {
        const cd_instruction* at = &tape->code[i];
        const double          a  = work[at->operand[0]];
        const double          x =
            at->operation == CD_TABLE
                         ? cd_table_value(&tape->graph->table[at->operand[1]], at->derivative, a)
                         : cd_operation_value((cd_operation)at->operation, a, work[at->operand[1]], work[at->operand[2]]);
        work[at->result] = (double)(float)x;
    }
    for (int i = 0; i < tape->noutput; ++i) output[i] = tape->output[i] < 0 ? 0 : work[tape->output[i]];
}

cardan_status cd_node_evaluate(const cd_graph* graph, cd_node node, const double* input, double* value)
{
    if (node < 0) return CARDAN_BAD_INPUT;
    cd_tape*      tape   = cd_tape_create(graph, 1, &node);
    double*       work   = tape ? cd_allocate((size_t)tape->nslot, sizeof *work) : NULL;
    cardan_status status = work ? CARDAN_OK : CARDAN_NO_MEMORY;
    if (work && tape->ninput > 0 && !input) status = CARDAN_BAD_INPUT;
    if (status == CARDAN_OK) cd_tape_run(tape, input, work, value);
    free(work);
    cd_tape_destroy(tape);
    return status;
}
