// SPDX-License-Identifier: BSD-3-Clause
// Infix text of an expression, with no more parentheses than needed; what it prints, the parser reads back to the
// same node. Shared subterms are written out wherever they stand, so that the text is cut at a length.
#include "expression/inside.h"

#include "core/memory.h"
#include "core/text.h"

#include <stdlib.h>

enum { LONGEST = 1 << 16 };

// How tightly an operation binds; a term in a place that binds tighter needs parentheses.
enum { LOOSE, OR, AND, COMPARISON, SUM, PRODUCT, SIGN, POWER, ATOM };

// What is still to be written, last first: a piece of text, or a node in a place that binds so tightly.
typedef struct piece {
    const char* text;
    cd_node     node;
    int         place;
} piece;

typedef struct pieces {
    piece* list;
    int    count, capacity;
    bool   failed;
} pieces;

static void push(pieces* stack, piece p)
{
    if (stack->failed || !cd_grow((void**)&stack->list, &stack->capacity, stack->count, sizeof p))
        stack->failed = true;
    else
        stack->list[stack->count++] = p;
}

static void push_text(pieces* stack, const char* text) { push(stack, (piece){text, CD_NO_NODE, 0}); }
static void push_node(pieces* stack, cd_node node, int place) { push(stack, (piece){NULL, node, place}); }

static int binding(const cd_graph* graph, cd_node node)
{
    switch (cd_node_operation(graph, node)) {
    case CD_CONSTANT:
        return cd_node_value(graph, node) < 0 ? SIGN : ATOM;
    case CD_ADD:
    case CD_SUB:
        return SUM;
    case CD_MUL:
    case CD_DIV:
    case CD_NEG:
        return PRODUCT; // -a*b is -(a*b)
    case CD_NOT:
        return SIGN;
    case CD_POW:
        return POWER;
    case CD_LESS:
    case CD_LESS_EQUAL:
    case CD_EQUAL:
        return COMPARISON;
    case CD_AND:
        return AND;
    case CD_OR:
        return OR;
    default:
        return ATOM;
    }
}

// Place of what a sign stands before: a product whose first factor is a difference stays in brackets, since -(a - b)*c
// is read as (b - a)*c.
static int place_behind_sign(const cd_graph* graph, cd_node node, int usual)
{
    while (cd_node_operation(graph, node) == CD_MUL || cd_node_operation(graph, node) == CD_DIV)
        node = cd_node_operand(graph, node, 0);
    return cd_node_operation(graph, node) == CD_SUB ? SIGN : usual;
}

static void push_infix(pieces* stack, const cd_graph* graph, cd_node node)
{
    const cd_operation operation = cd_node_operation(graph, node);
    const int          place     = binding(graph, node);
    const bool         power     = operation == CD_POW;
    const bool         tight     = power || place == PRODUCT;
    const int          left      = place == COMPARISON || power ? place + 1 : place;
    push_node(stack, cd_node_operand(graph, node, 1), power ? SIGN : place + 1);
    if (!tight) push_text(stack, " ");
    push_text(stack, power ? "^" : cd_operation_text(operation));
    if (!tight) push_text(stack, " ");
    push_node(stack, cd_node_operand(graph, node, 0), left);
}

static void push_call(pieces* stack, const cd_graph* graph, cd_node node)
{
    const cd_operation operation = cd_node_operation(graph, node);
    push_text(stack, ")");
    for (int i = cd_operation_operands(operation) - 1; i >= 0; --i) {
        push_node(stack, cd_node_operand(graph, node, i), LOOSE);
        push_text(stack, i > 0 ? ", " : "(");
    }
    if (operation != CD_TABLE) push_text(stack, cd_operation_text(operation));
}

// What inputs and tables are called; tables are asked for as -1 - table.
typedef struct naming {
    const char* (*name)(void* user, int input);
    void* user;
} naming;

static void write_known(cd_text* text, const naming* names, int asked, const char* usual, int index)
{
    const char* known = names->name ? names->name(names->user, asked) : NULL;
    if (known)
        cd_text_add(text, known);
    else
        cd_text_format(text, "%s%d", usual, index);
}

static void write_input(cd_text* text, const cd_graph* graph, cd_node node, const naming* names)
{
    const int input = cd_node_index(graph, node);
    write_known(text, names, input, "x", input);
}

static void write_table(cd_text* text, const cd_graph* graph, cd_node node, const naming* names)
{
    const int table = cd_node_index(graph, node);
    write_known(text, names, -1 - table, "table", table);
    for (int i = 0; i < cd_item_at(graph, node)->derivative; ++i) cd_text_add(text, "'");
}

static void open(pieces* stack, const cd_graph* graph, cd_node node, cd_text* text, const naming* names)
{
    const cd_operation operation = cd_node_operation(graph, node);
    const int          place     = binding(graph, node);
    if (operation == CD_CONSTANT)
        cd_text_number(text, cd_node_value(graph, node));
    else if (operation == CD_NEG || operation == CD_NOT) {
        const cd_node inner = cd_node_operand(graph, node, 0);
        push_node(stack, inner, place_behind_sign(graph, inner, place));
        push_text(stack, cd_operation_text(operation));
    } else if (place != ATOM)
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
    pieces       stack = {0};
    push_node(&stack, node, LOOSE);
    while (stack.count > 0 && !stack.failed && !text.failed && text.length < LONGEST) {
        const piece p = stack.list[--stack.count];
        if (p.text)
            cd_text_add(&text, p.text);
        else if (cd_is(graph, p.node, CD_INPUT))
            write_input(&text, graph, p.node, &names);
        else if (binding(graph, p.node) < p.place) {
            push_text(&stack, ")");
            push_node(&stack, p.node, LOOSE);
            push_text(&stack, "(");
        } else
            open(&stack, graph, p.node, &text, &names);
    }
    if (stack.count > 0) cd_text_add(&text, " ...");
    if (stack.failed) cd_text_free(&text);
    char* result = stack.failed ? NULL : cd_text_take(&text);
    free(stack.list);
    return result;
}
