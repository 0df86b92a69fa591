// SPDX-License-Identifier: BSD-3-Clause
// Parser of formulas. Infix with + - * / ^ (or **), comparisons < <= > >= == !=, and or not (&& || !), if(c, a, b), the
// functions of builtin_functions.def, pi. Names may contain letters, digits, _ . $ and, in quotes, any character.
//
//   precedence       lowest first: or, and, not, comparisons (not chained), + -, * /, signs and !, ^ (to the right)
//   therefore        -2^2 = -4, 2^3^2 = 512, 2^-1 = 0.5, not a < b is not (a < b), !a < b is (!a) < b
#pragma once

#include "expression/graph.h"

// Failure of a call that a callback resolves.
typedef struct cd_call_error {
    int  argument;  // index of the wrong argument; -1: the call itself
    char text[320]; // a message; empty: the name is unknown
} cd_call_error;

// Fill `error`; returns CD_NO_NODE.
cd_node cd_call_fail(cd_call_error* error, int argument, const char* format, ...) __attribute__((format(printf, 3, 4)));

// Callbacks that define names and calls.
typedef struct cd_parse_scope {
    void* user;
    // Node of a bare name: parameter, state, t. CD_NO_NODE if unknown.
    cd_node (*resolve_name)(void* user, const char* name);
    // Node of a call whose name is not a built-in function. Arguments are source text (trimmed, quotes removed); the
    // callback may parse them with cd_parse. On failure it returns CD_NO_NODE and fills `error`.
    cd_node (*resolve_call)(void* user, const char* name, int count, const char* const* argument, cd_call_error* error);
    // The i-th known name, for suggestions; NULL after the last.
    const char* (*candidate)(void* user, int i);
    // Index of the table with that name, called with one formula as argument; -1 if there is none.
    int (*find_table)(void* user, const char* name);
    // Message for a name that is known but not allowed here; false if there is none.
    bool (*explain)(void* user, const char* name, char* reason, size_t size);
} cd_parse_scope; // each callback may be NULL

typedef struct cd_parse_error {
    cardan_status status;    // CARDAN_BAD_INPUT, CARDAN_NO_MEMORY
    int           column;    // 0-based offset into the text
    char          text[320]; // a message, with a suggestion if there is one
} cd_parse_error;

// Parse `text` (without the leading '='). Returns CD_NO_NODE on failure and fills `error`.
cd_node cd_parse(cd_graph* graph, const char* text, const cd_parse_scope* scope, cd_parse_error* error);

// Built-in functions, for documentation and suggestions: name, signature, one line. A NULL name ends the list.
typedef struct cd_function_entry {
    const char *name, *signature, *summary;
} cd_function_entry;
const cd_function_entry* cd_function_entries(void);
