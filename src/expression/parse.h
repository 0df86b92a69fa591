// SPDX-License-Identifier: BSD-3-Clause
// Formulas as text into the graph. Infix with + - * / ^ (or **), comparisons < <= > >= == !=, and or not (&& || !),
// if(c, a, b), the functions of builtin_functions.def, pi. Names may hold letters, digits, _ . $ and, in quotes, anything.
//
//   binds            loosest first: or, and, not, comparisons (not chained), + -, * /, signs and !, ^ (to the right)
//   so that          -2^2 = -4, 2^3^2 = 512, 2^-1 = 0.5, not a < b is not (a < b), !a < b is (!a) < b
#pragma once

#include "expression/graph.h"

// What names and calls mean is the caller's business.
typedef struct cd_parse_scope {
    void* user;
    // A bare name: parameter, state, t. Returns the node, CD_NO_NODE if unknown.
    cd_node (*resolve_name)(void* user, const char* name);
    // A call whose name is not a built-in function. Arguments are given as their source text (trimmed, quotes removed)
    // and may be parsed with cd_parse by the callee. Returns CD_NO_NODE and writes a sentence to `why` if it cannot;
    // leaves `why` empty where it does not know the name. The message points at the argument that the sentence quotes,
    // if any.
    cd_node (*resolve_call)(void* user, const char* name, int count, const char* const* argument, char* why,
                            size_t size);
    // The i-th name known, for "did you mean"; NULL ends the list.
    const char* (*candidate)(void* user, int i);
    // The graph's table of that name, called with one formula as argument; -1 if there is none.
    int (*find_table)(void* user, const char* name);
    // A sentence for a name that is known but may not stand here; false if there is nothing to say.
    bool (*explain)(void* user, const char* name, char* why, size_t size);
} cd_parse_scope; // each of the functions may be absent

typedef struct cd_parse_error {
    cardan_status status;    // CARDAN_BAD_INPUT, CARDAN_NO_MEMORY
    int           column;    // 0-based offset into the text
    char          text[320]; // a sentence, with a suggestion where there is one
} cd_parse_error;

// Parse `text` (without the leading '='). CD_NO_NODE on failure, with `error` filled.
cd_node cd_parse(cd_graph* graph, const char* text, const cd_parse_scope* scope, cd_parse_error* error);

// The built-in functions, for documentation and suggestions: name, signature, one line. NULL name ends the list.
typedef struct cd_function_entry {
    const char *name, *signature, *summary;
} cd_function_entry;
const cd_function_entry* cd_function_entries(void);
