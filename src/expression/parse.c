// SPDX-License-Identifier: BSD-3-Clause
// Parser of formulas: precedence climbing, bounded depth of nesting, a message for the first error.
#include "expression/parse.h"

#include "core/memory.h"
#include "core/text.h"
#include "expression/call_arguments.h"
#include "expression/builtin_functions.h"
#include "expression/token.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 200 };

typedef struct parser {
    cd_graph*             graph;
    const char*           text;
    const cd_parse_scope* scope;
    cd_parse_error*       error;
    cd_token              token;    // the next one
    int                   from, to; // the one before
    int                   depth;
    bool                  failed;
} parser;

// Binary operators by precedence.
enum { LEVEL_OR = 1, LEVEL_AND, LEVEL_NOT, LEVEL_COMPARISON, LEVEL_SUM, LEVEL_PRODUCT };

static const struct {
    char         sign;
    int          level;
    cd_operation operation;
    bool         swapped, negated;
} operators[] = {
    {'|', LEVEL_OR, CD_OR, false, false},
    {'&', LEVEL_AND, CD_AND, false, false},
    {'<', LEVEL_COMPARISON, CD_LESS, false, false},
    {'>', LEVEL_COMPARISON, CD_LESS, true, false},
    {CD_OPERATOR_LESS_EQUAL, LEVEL_COMPARISON, CD_LESS_EQUAL, false, false},
    {CD_OPERATOR_GREATER_EQUAL, LEVEL_COMPARISON, CD_LESS_EQUAL, true, false},
    {CD_OPERATOR_EQUAL, LEVEL_COMPARISON, CD_EQUAL, false, false},
    {CD_OPERATOR_UNEQUAL, LEVEL_COMPARISON, CD_EQUAL, false, true},
    {'+', LEVEL_SUM, CD_ADD, false, false},
    {'-', LEVEL_SUM, CD_SUB, false, false},
    {'*', LEVEL_PRODUCT, CD_MUL, false, false},
    {'/', LEVEL_PRODUCT, CD_DIV, false, false},
};

static cd_node parse_expression(parser* p, int level);

static cd_node fail(parser* p, int column, const char* format, ...) __attribute__((format(printf, 3, 4)));
static cd_node fail(parser* p, int column, const char* format, ...)
{
    if (!p->failed) {
        va_list arguments;
        va_start(arguments, format);
        p->error->column = column;
        vsnprintf(p->error->text, sizeof p->error->text, format, arguments);
        va_end(arguments);
    }
    p->failed = true;
    return CD_NO_NODE;
}

static void read_from(parser* p, int at)
{
    if (p->failed) return;
    p->token = cd_token_read(p->text, at, p->error);
    if (p->token.kind == CD_TOKEN_ERROR) p->failed = true;
}

static void advance(parser* p)
{
    p->from = p->token.start;
    p->to   = p->token.end;
    read_from(p, p->to);
}

static bool at_operator(const parser* p, char sign)
{
    return p->token.kind == CD_TOKEN_OPERATOR && p->token.operator_code == sign;
}

static cd_node no_memory(parser* p)
{
    fail(p, p->from, "out of memory");
    p->error->status = CARDAN_NO_MEMORY;
    return CD_NO_NODE;
}

// The graph returns no node only if memory is exhausted.
static cd_node check_node(parser* p, cd_node node) { return node >= 0 || p->failed ? node : no_memory(p); }

// Excerpt of the text for a message, of limited length.
#define EXCERPT(from, to) ((to) - (from) < 40 ? (to) - (from) : 40), p->text + (from)

static bool enter_nesting(parser* p)
{
    if (++p->depth <= MAX_DEPTH) return true;
    fail(p, p->token.start, "the formula is nested deeper than %d levels", MAX_DEPTH);
    return false;
}

// Names for suggestions: those of the scope, pi, and for calls the functions.
typedef struct candidates {
    const cd_parse_scope* scope;
    bool                  functions;
    int                   known; // number of names of the scope, once counted
} candidates;

static const char* candidate(void* user, int i)
{
    candidates*              c   = user;
    const cd_function_entry* row = cd_function_entries();
    if (c->known < 0) {
        const char* name = c->scope->candidate ? c->scope->candidate(c->scope->user, i) : NULL;
        if (name) return name;
        c->known = i;
    }
    if (i == c->known) return "pi";
    return c->functions ? row[i - c->known - 1].name : NULL;
}

static cd_node fail_unknown(parser* p, const char* name, int column, bool call)
{
    char                 reason[sizeof p->error->text];
    const cd_parse_scope empty = {0};
    candidates           all   = {p->scope ? p->scope : &empty, call, -1};
    if (all.scope->explain && all.scope->explain(all.scope->user, name, reason, sizeof reason))
        return fail(p, column, "%s", reason);
    const int function = cd_function_find(name);
    if (!call && function >= 0)
        return fail(p, column, "'%s' is a function: write %s", name, cd_function_entries()[function].signature);
    const bool number = call && (strcmp(name, "pi") == 0 ||
                                 (all.scope->resolve_name && all.scope->resolve_name(all.scope->user, name) >= 0));
    if (number) return fail(p, column, "'%.60s' is not a function; to multiply write %.60s*(...)", name, name);

    const char* suggestion = cd_nearest_name(name, candidate, &all);
    const char* kind       = call ? "function" : "name";
    if (suggestion) return fail(p, column, "unknown %s '%.60s': did you mean '%.60s'?", kind, name, suggestion);
    return fail(p, column, "unknown %s '%.60s'", kind, name);
}

// Error for a token where only an operator, a closing parenthesis or the end is allowed.
static cd_node fail_unexpected(parser* p, int parenthesis)
{
    static const char comma[] = "a comma is only allowed between arguments of a function; the decimal separator is '.'";
    const int         at = p->token.start, end = p->token.end;
    if (p->token.kind == CD_TOKEN_END) return fail(p, parenthesis, "the parenthesis is not closed");
    if (at_operator(p, ')')) return fail(p, at, "the closing parenthesis has no opening parenthesis");
    if (at_operator(p, ',')) return fail(p, at, "%s", comma);
    return fail(p, at, "an operator is missing between '%.*s' and '%.*s', perhaps '*'", EXCERPT(p->from, p->to),
                EXCERPT(at, end));
}

// Parse the arguments of a call after its opening parenthesis. Returns their number, -1 after an error.
static int parse_arguments(parser* p, cd_node* argument)
{
    const int parenthesis = p->token.start;
    int       count       = 0;
    if (!enter_nesting(p)) return -1;
    advance(p);
    if (at_operator(p, ')')) {
        advance(p);
        --p->depth;
        return p->failed ? -1 : 0;
    }
    for (;;) {
        if (count == CD_CALL_ARGUMENTS_MAX) {
            fail(p, p->token.start, "a call takes at most %d arguments", CD_CALL_ARGUMENTS_MAX);
            return -1;
        }
        argument[count++] = parse_expression(p, LEVEL_OR);
        if (p->failed) return -1;
        if (at_operator(p, ','))
            advance(p);
        else if (at_operator(p, ')'))
            break;
        else {
            fail_unexpected(p, parenthesis);
            return -1;
        }
    }
    advance(p);
    --p->depth;
    return p->failed ? -1 : count;
}

static cd_node call_function(parser* p, int function, int column)
{
    cd_node   argument[CD_CALL_ARGUMENTS_MAX];
    char      reason[200];
    const int count = parse_arguments(p, argument);
    if (count < 0) return CD_NO_NODE;
    if (!cd_function_check_arguments(function, count, reason, sizeof reason)) return fail(p, column, "%s", reason);
    return check_node(p, cd_function_build(function, p->graph, count, argument));
}

static cd_node call_table(parser* p, const char* name, int table, int column)
{
    cd_node   argument[CD_CALL_ARGUMENTS_MAX];
    const int count = parse_arguments(p, argument);
    if (count < 0) return CD_NO_NODE;
    if (count != 1) return fail(p, column, "the table '%.60s' takes 1 argument, not %d", name, count);
    return check_node(p, cd_table_lookup(p->graph, table, argument[0], 0));
}

cd_node cd_call_fail(cd_call_error* error, int argument, const char* format, ...)
{
    va_list values;
    va_start(values, format);
    error->argument = argument;
    vsnprintf(error->text, sizeof error->text, format, values);
    va_end(values);
    return CD_NO_NODE;
}

static cd_node call_scope(parser* p, const char* name, int column)
{
    const int parenthesis = p->token.start, close = cd_call_arguments_end(p->text, parenthesis);
    if (close < 0) return fail(p, parenthesis, "the parenthesis is not closed");
    char* copy = cd_allocate((size_t)(close - parenthesis), 1);
    if (!copy) return no_memory(p);
    memcpy(copy, p->text + parenthesis + 1, (size_t)(close - parenthesis - 1));

    const char*   argument[CD_CALL_ARGUMENTS_MAX];
    cd_call_error error = {.argument = -1};
    const int     count = cd_call_arguments_split(copy, argument);
    cd_node       node  = CD_NO_NODE;
    if (count < 0) fail(p, column, "a call takes at most %d arguments", CD_CALL_ARGUMENTS_MAX);
    for (int i = 0; i < count; ++i)
        if (!*argument[i])
            fail(p, parenthesis + 1 + (int)(argument[i] - copy), "an argument of '%.60s' is missing", name);
    if (!p->failed) {
        node        = p->scope->resolve_call(p->scope->user, name, count, argument, &error);
        const int i = error.argument;
        if (node < 0 && !*error.text)
            fail_unknown(p, name, column, true);
        else if (node < 0)
            fail(p, i < 0 ? column : parenthesis + 1 + (int)(argument[i] - copy), "%s", error.text);
    }
    free(copy);
    p->token.end = close + 1;
    advance(p);
    return node;
}

static cd_node parse_name_or_call(parser* p)
{
    char      name[CD_TOKEN_NAME_SIZE];
    const int column = p->token.start;
    memcpy(name, p->token.name, sizeof name);
    const cd_parse_scope* scope  = p->scope;
    const bool            quoted = p->text[column] == '"' || p->text[column] == '\'';
    advance(p);
    if (p->failed) return CD_NO_NODE;
    if (at_operator(p, '(')) {
        const int function = quoted ? -1 : cd_function_find(name);
        if (function >= 0) return call_function(p, function, column);
        const int table = scope && scope->find_table ? scope->find_table(scope->user, name) : -1;
        if (table >= 0) return call_table(p, name, table, column);
        return scope && scope->resolve_call ? call_scope(p, name, column) : fail_unknown(p, name, column, true);
    }
    if (strcmp(name, "pi") == 0 && !quoted) return check_node(p, cd_constant(p->graph, CD_PI));
    const cd_node node = scope && scope->resolve_name ? scope->resolve_name(scope->user, name) : CD_NO_NODE;
    if (node >= 0) return node;
    return fail_unknown(p, name, column, false);
}

static cd_node parse_parenthesis(parser* p)
{
    const int column = p->token.start;
    if (!enter_nesting(p)) return CD_NO_NODE;
    advance(p);
    if (at_operator(p, ')')) return fail(p, column, "the parentheses are empty");
    const cd_node node = parse_expression(p, LEVEL_OR);
    if (p->failed) return CD_NO_NODE;
    if (!at_operator(p, ')')) return fail_unexpected(p, column);
    advance(p);
    --p->depth;
    return node;
}

static cd_node fail_missing_value(parser* p)
{
    const int at = p->token.start;
    if (p->to == 0 && p->token.kind == CD_TOKEN_END) return fail(p, 0, "the formula is empty");
    if (p->to == 0) return fail(p, at, "a value is missing before '%.*s'", EXCERPT(at, p->token.end));
    return fail(p, at, "a value is missing after '%.*s'", EXCERPT(p->from, p->to));
}

static cd_node parse_primary(parser* p)
{
    if (p->failed) return CD_NO_NODE;
    if (p->token.kind == CD_TOKEN_NUMBER) {
        const cd_node node = cd_constant(p->graph, p->token.value);
        advance(p);
        return check_node(p, node);
    }
    if (p->token.kind == CD_TOKEN_NAME) return parse_name_or_call(p);
    if (at_operator(p, '(')) return parse_parenthesis(p);
    return fail_missing_value(p);
}

// Signs and powers: -2^2 is -(2^2), 2^-1 and 2^3^2 = 2^(3^2) are allowed.
static cd_node parse_signed_power(parser* p)
{
    if (p->failed) return CD_NO_NODE;
    const char sign   = p->token.kind == CD_TOKEN_OPERATOR ? p->token.operator_code : 0;
    const bool prefix = sign == '-' || sign == '+' || sign == '!' || sign == CD_OPERATOR_NOT;
    cd_node    node   = prefix ? CD_NO_NODE : parse_primary(p);
    if (p->failed || (!prefix && !at_operator(p, '^'))) return node;
    if (!enter_nesting(p)) return CD_NO_NODE;

    advance(p);
    const cd_node operand = sign == CD_OPERATOR_NOT ? parse_expression(p, LEVEL_NOT) : parse_signed_power(p);
    if (p->failed) return CD_NO_NODE;
    if (!prefix)
        node = cd_binary(p->graph, CD_POW, node, operand);
    else
        node = sign == '+' ? operand : cd_unary(p->graph, sign == '-' ? CD_NEG : CD_NOT, operand);
    --p->depth;
    return check_node(p, node);
}

static int operator_at(const parser* p)
{
    for (int i = 0; p->token.kind == CD_TOKEN_OPERATOR && i < (int)(sizeof operators / sizeof *operators); ++i)
        if (operators[i].sign == p->token.operator_code) return i;
    return -1;
}

// Operands with operators of at least precedence `level`, left-associative.
static cd_node parse_expression(parser* p, int level)
{
    cd_node node     = parse_signed_power(p);
    bool    compared = false;
    while (!p->failed) {
        const int i = operator_at(p);
        if (i < 0 || operators[i].level < level) break;
        const bool compares = operators[i].level == LEVEL_COMPARISON;
        if (compares && compared) fail(p, p->token.start, "comparisons cannot be chained: write a < b and b < c");
        compared = compares;
        advance(p);
        const cd_node right = parse_expression(p, operators[i].level + 1);
        if (p->failed) break;
        const cd_node a = operators[i].swapped ? right : node, b = operators[i].swapped ? node : right;
        node = check_node(p, cd_binary(p->graph, operators[i].operation, a, b));
        if (operators[i].negated) node = check_node(p, cd_unary(p->graph, CD_NOT, node));
    }
    return p->failed ? CD_NO_NODE : node;
}

cd_node cd_parse(cd_graph* graph, const char* text, const cd_parse_scope* scope, cd_parse_error* error)
{
    cd_parse_error unread;
    parser         p = {.graph = graph, .text = text, .scope = scope, .error = error ? error : &unread};
    *p.error         = (cd_parse_error){.status = CARDAN_BAD_INPUT};
    if (strlen(text) > (size_t)1 << 24) return fail(&p, 0, "the formula is too long");
    read_from(&p, 0);
    const cd_node node = p.failed ? CD_NO_NODE : parse_expression(&p, LEVEL_OR);
    if (!p.failed && p.token.kind != CD_TOKEN_END) return fail_unexpected(&p, 0);
    return p.failed ? CD_NO_NODE : node;
}
