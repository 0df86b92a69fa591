// SPDX-License-Identifier: BSD-3-Clause
// Values of parameters, in the order of their dependencies: depth-first search with an explicit stack, so that the
// length of a chain of parameters is not limited by the call stack. Every formula is scanned once.
#include "io/yaml/read_model.h"

#include "core/memory.h"
#include "expression/call_arguments.h"
#include "expression/builtin_functions.h"
#include "expression/token.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// Parameter whose formula is being scanned for names of other parameters.
typedef struct pending {
    cd_definition* def;
    const char*    text;     // formula without '='; "": none
    int            position; // scanned up to here
} pending;

typedef struct pending_stack {
    pending* list;
    int      count, capacity;
} pending_stack;

// Return the formula of a parameter; "" if it has none, or if it contains counters, which are not yet known.
static const char* formula_of(const cd_definition* def)
{
    const char* text = def->setting ? def->setting : def->value->text;
    if (!def->setting && (def->value->has_error || def->value->kind != CD_YAML_SCALAR || strchr(text, '$'))) return "";
    while (isspace((unsigned char)*text)) ++text;
    if (*text == '=') return text + 1;
    return def->setting ? text : "";
}

static bool push(cd_reader* r, pending_stack* c, cd_definition* def)
{
    if (!cd_array_grow((void**)&c->list, &c->capacity, c->count, sizeof *c->list)) return cd_reader_fail_no_memory(r);
    c->list[c->count++] = (pending){.def = def, .text = formula_of(def)};
    def->is_pending     = true;
    return true;
}

// Skip the arguments of a call that is not a function of numbers, because names there are points, joints etc. Arguments
// of tables are formulas and are not skipped.
static int skip_call(cd_reader* r, const pending* w, const cd_token* name, const cd_token* next)
{
    const bool open = next->kind == CD_TOKEN_OPERATOR && next->operator_code == '(';
    if (!open || cd_function_find(name->name) >= 0) return name->end;
    if (cd_find_definition(r, CD_DEFINITION_TABLE, w->def->level, name->name)) return next->end;
    const int close = cd_call_arguments_end(w->text, next->start);
    return close < 0 ? (int)strlen(w->text) : close + 1;
}

// Return the next parameter in the formula that has no value yet; NULL at the end of the formula.
static cd_definition* next_dependency(cd_reader* r, pending* w)
{
    cd_parse_error error;
    for (;;) {
        const cd_token token = cd_token_read(w->text, w->position, &error);
        if (token.kind == CD_TOKEN_END || token.kind == CD_TOKEN_ERROR) return NULL;
        w->position = token.end;
        if (token.kind != CD_TOKEN_NAME) continue;
        const cd_token next = cd_token_read(w->text, token.end, &error);
        const bool     call = next.kind == CD_TOKEN_OPERATOR && next.operator_code == '(';
        w->position         = skip_call(r, w, &token, &next);
        cd_definition* found;
        double         value;
        if (!call && cd_find_parameter_or_counter(r, w->def->level, token.name, &found, &value) && found &&
            found->status == CD_DEFINITION_UNREAD)
            return found;
    }
}

// Report "parameter 'a' depends on itself: a -> b -> a".
static void fail_circular(cd_reader* r, const pending_stack* c, cd_definition* def)
{
    cd_text path = {0};
    int     i    = c->count - 1;
    while (i > 0 && c->list[i].def != def) --i;
    for (; i < c->count; ++i) cd_add_chain_link(&path, def, c->list[i].def);
    cd_text_add(&path, def->name);
    cd_reader_fail(r, def->value, "parameter '%s' depends on itself: %s", def->name, path.failed ? "" : path.data);
    cd_text_free(&path);
}

// Compute the value of a parameter whose dependencies are evaluated.
static bool compute_value(cd_reader* r, cd_definition* def)
{
    const cd_model_element e = {
        .reader = r, .level = def->level, .node = def->value, .label = "parameter", .name = def->name};
    bool ok;
    if (def->status == CD_DEFINITION_DONE || def->status == CD_DEFINITION_FAILED)
        return def->status == CD_DEFINITION_DONE; // evaluated meanwhile, for a point or table
    if (!cd_definition_begin(r, def)) return def->status = CD_DEFINITION_FAILED, false;
    if (def->setting && cd_parse_plain_number(def->setting, &def->x[0]))
        ok = true;
    else if (def->setting)
        ok = cd_evaluate_number_formula(&e, def->value, def->setting + (def->setting[0] == '='), &def->x[0]);
    else
        ok = cd_read_number(&e, def->value, CD_UNIT_NONE, &def->x[0]);
    if (!cd_definition_end(r, def, ok)) return false;
    if (def->input >= 0) cd_parametric_set_input(r->description->parametric, def->input, def->x[0]);
    return true;
}

// Evaluate the parameters on which a parameter depends, transitively. Returns false without memory.
static bool evaluate_dependencies(cd_reader* r, cd_definition* def)
{
    pending_stack c  = {0};
    bool          ok = push(r, &c, def);
    while (ok && c.count > 0) {
        pending*             w     = &c.list[c.count - 1];
        cd_definition* const last  = w->def;
        cd_definition* const other = next_dependency(r, w);
        if (other && !other->is_pending) {
            ok = push(r, &c, other);
            continue;
        }
        if (other) { // circular dependency
            fail_circular(r, &c, other);
            last->status = CD_DEFINITION_FAILED;
        } else if (last != def) {
            compute_value(r, last); // on failure the dependent parameter fails without another message
        }
        last->is_pending = false;
        --c.count;
    }
    while (c.count > 0) c.list[--c.count].def->is_pending = false;
    free(c.list);
    return ok;
}

bool cd_evaluate_parameter(cd_reader* r, cd_definition* def)
{
    if (def->status == CD_DEFINITION_UNREAD && !def->is_pending && !evaluate_dependencies(r, def)) return false;
    return compute_value(r, def);
}
