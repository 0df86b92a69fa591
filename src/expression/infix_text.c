// SPDX-License-Identifier: BSD-3-Clause
// Infix text of an expression, with minimal parentheses; the parser reads it back to the same node. Shared subterms are
// repeated, and the text is limited in length.
#include "expression/graph_internal.h"

#include "core/memory.h"
#include "core/text.h"

#include <stdlib.h>

enum { TEXT_MAX = 1 << 16 };

// Precedence of an operation; a term where higher precedence is required needs parentheses.
enum { BIND_LOOSE, BIND_OR, BIND_AND, BIND_COMPARISON, BIND_SUM, BIND_PRODUCT, BIND_SIGN, BIND_POWER, BIND_ATOM };

// Stack of pending output: a piece of text, or a node with the required precedence.
typedef struct pending_piece {
    const char* text;
    cd_node     node;
    int         min_binding;
} pending_piece;

typedef struct piece_stack {
    pending_piece* list;
    int            count, capacity;
    bool           failed;
} piece_stack;

static void push(piece_stack* stack, pending_piece p)
{
    if (stack->failed || !cd_array_grow((void**)&stack->list, &stack->capacity, stack->count, sizeof p))
        stack->failed = true;
    else
        stack->list[stack->count++] = p;
}

static void push_text(piece_stack* stack, const char* text) { push(stack, (pending_piece){text, CD_NO_NODE, 0}); }
static void push_node(piece_stack* stack, cd_node node, int min_binding)
{
    push(stack, (pending_piece){NULL, node, min_binding});
}

static int binding_of(const cd_graph* graph, cd_node node)
{
    switch (cd_node_operation(graph, node)) {
    case CD_CONSTANT:
        return cd_node_value(graph, node) < 0 ? BIND_SIGN : BIND_ATOM;
    case CD_ADD:
    case CD_SUB:
        return BIND_SUM;
    case CD_MUL:
    case CD_DIV:
    case CD_NEG:
        return BIND_PRODUCT; // -a*b is -(a*b)
    case CD_NOT:
        return BIND_SIGN;
    case CD_POW:
        return BIND_POWER;
    case CD_LESS:
    case CD_LESS_EQUAL:
    case CD_EQUAL:
        return BIND_COMPARISON;
    case CD_AND:
        return BIND_AND;
    case CD_OR:
        return BIND_OR;
    default:
        return BIND_ATOM;
    }
}

// Required precedence behind a sign: a product whose first factor is a difference needs parentheses, since -(a - b)*c
// is read as (b - a)*c.
static int binding_after_sign(const cd_graph* graph, cd_node node, int usual)
{
    while (cd_node_operation(graph, node) == CD_MUL || cd_node_operation(graph, node) == CD_DIV)
        node = cd_node_operand(graph, node, 0);
    return cd_node_operation(graph, node) == CD_SUB ? BIND_SIGN : usual;
}

static void push_infix(piece_stack* stack, const cd_graph* graph, cd_node node)
{
    const cd_operation operation        = cd_node_operation(graph, node);
    const int          own_binding      = binding_of(graph, node);
    const bool         power            = operation == CD_POW;
    const bool         tight            = power || own_binding == BIND_PRODUCT;
    const int          left_min_binding = own_binding == BIND_COMPARISON || power ? own_binding + 1 : own_binding;
    push_node(stack, cd_node_operand(graph, node, 1), power ? BIND_SIGN : own_binding + 1);
    if (!tight) push_text(stack, " ");
    push_text(stack, power ? "^" : cd_operation_text(operation));
    if (!tight) push_text(stack, " ");
    push_node(stack, cd_node_operand(graph, node, 0), left_min_binding);
}

static void push_call(piece_stack* stack, const cd_graph* graph, cd_node node)
{
    const cd_operation operation = cd_node_operation(graph, node);
    push_text(stack, ")");
    for (int i = cd_operation_operands(operation) - 1; i >= 0; --i) {
        push_node(stack, cd_node_operand(graph, node, i), BIND_LOOSE);
        push_text(stack, i > 0 ? ", " : "(");
    }
    if (operation != CD_TABLE) push_text(stack, cd_operation_text(operation));
}

// Names of inputs and tables; tables are requested as -1 - table.
typedef struct naming {
    const char* (*name)(void* user, int input);
    void* user;
} naming;

static void write_name(cd_text* text, const naming* names, int query, const char* prefix, int index)
{
    const char* name = names->name ? names->name(names->user, query) : NULL;
    if (name)
        cd_text_add(text, name);
    else
        cd_text_format(text, "%s%d", prefix, index);
}

static void write_input(cd_text* text, const cd_graph* graph, cd_node node, const naming* names)
{
    const int input = cd_node_index(graph, node);
    write_name(text, names, input, "x", input);
}

static void write_table(cd_text* text, const cd_graph* graph, cd_node node, const naming* names)
{
    const int table = cd_node_index(graph, node);
    write_name(text, names, -1 - table, "table", table);
    for (int i = 0; i < cd_node_data_at(graph, node)->derivative; ++i) cd_text_add(text, "'");
}

static void expand_node(piece_stack* stack, const cd_graph* graph, cd_node node, cd_text* text, const naming* names)
{
    const cd_operation operation   = cd_node_operation(graph, node);
    const int          own_binding = binding_of(graph, node);
    if (operation == CD_CONSTANT)
        cd_text_number(text, cd_node_value(graph, node));
    else if (operation == CD_NEG || operation == CD_NOT) {
        const cd_node inner = cd_node_operand(graph, node, 0);
        push_node(stack, inner, binding_after_sign(graph, inner, own_binding));
        push_text(stack, cd_operation_text(operation));
    } else if (own_binding != BIND_ATOM)
        push_infix(stack, graph, node);
    else {
        push_call(stack, graph, node);
        if (operation == CD_TABLE) write_table(text, graph, node, names);
    }
}

char* cd_node_text(const cd_graph* graph, cd_node node, const char* (*name)(void* user, int input), void* user)
{
    if (node < 0) return NULL;
    const naming names = {name, user};
    cd_text      text  = {0};
    piece_stack  stack = {0};
    push_node(&stack, node, BIND_LOOSE);
    while (stack.count > 0 && !stack.failed && !text.failed && text.length < TEXT_MAX) {
        const pending_piece p = stack.list[--stack.count];
        if (p.text)
            cd_text_add(&text, p.text);
        else if (cd_node_is(graph, p.node, CD_INPUT))
            write_input(&text, graph, p.node, &names);
        else if (binding_of(graph, p.node) < p.min_binding) {
            push_text(&stack, ")");
            push_node(&stack, p.node, BIND_LOOSE);
            push_text(&stack, "(");
        } else
            expand_node(&stack, graph, p.node, &text, &names);
    }
    if (stack.count > 0) cd_text_add(&text, " ...");
    if (stack.failed) cd_text_free(&text);
    char* result = stack.failed ? NULL : cd_text_detach(&text);
    free(stack.list);
    return result;
}
