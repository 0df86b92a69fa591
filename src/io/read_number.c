// SPDX-License-Identifier: BSD-3-Clause
// Values that are numbers now: literals, and formulas over parameters, counters, points and tables.
#include "io/read.h"

#include "model/check.h"
#include "model/description.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCRATCH_NODES = 20000, DEEPEST = 100 };

double cd_unit_factor(const cd_yaml_file* file, cd_unit unit)
{
    const cd_unit_row* row    = cd_unit_at(unit);
    double             factor = 1;
    const struct {
        int    power;
        double value;
    } parts[] = {{row->length, file->length}, {row->angle, file->angle}, {row->mass, file->mass}};
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < parts[i].power; ++k) factor *= parts[i].value;
        for (int k = 0; k > parts[i].power; --k) factor /= parts[i].value;
    }
    return factor;
}

bool cd_parse_plain_number(const char* text, double* value)
{
    char* end;
    if (!isdigit((unsigned char)text[0]) && !strchr("+-.", text[0])) return false; // no inf, nan
    if (text[0] == '\0' || strpbrk(text, "xXnN")) return false;
    *value = strtod(text, &end);
    return end != text && *end == '\0';
}

// Formulas

typedef struct asker {
    const cd_element* element;
    const cd_yaml*    node;
    bool              told; // the cause is told already
} asker;

// Memory is the only reason for the graph to refuse a node.
static cd_node built(asker* a, cd_node node)
{
    if (node < 0) a->told = !cd_reader_no_memory(a->element->reader);
    return node;
}

static cd_node name_node(void* user, const char* name)
{
    asker*     a = user;
    cd_reader* r = a->element->reader;
    cd_def*    parameter;
    double     value;
    if (!cd_find_value(r, a->element->level, name, &parameter, &value)) return CD_NO_NODE;
    if (parameter) {
        parameter->key->used = true;
        if (!cd_parameter_value(r, parameter, &value)) return a->told = true, CD_NO_NODE;
    }
    return built(a, cd_ledger_node(r->description->ledger, r->scratch, value));
}

// Counters, then parameters.
static const char* name_candidate(void* user, int i)
{
    const asker*   a    = user;
    const cd_defs* defs = &a->element->reader->defs[CD_DEF_PARAMETER];
    for (const cd_level* l = a->element->level; l; l = l->outer)
        if (l->variable && i-- == 0) return l->variable;
    return i < defs->count ? defs->list[i]->name : NULL;
}

// What changes with time has a name, but no value now.
static bool explain(void* user, const char* name, char* why, size_t size)
{
    const asker* a = user;
    cd_reader*   r = a->element->reader;
    if (a->told || cd_report_full(r)) return snprintf(why, size, "'%.60s' has no value", name), true;
    const bool moves =
        strcmp(name, "t") == 0 || cd_is_motion_call(name) || cd_find(r, CD_DEF_STATE, a->element->level, name);
    if (moves)
        snprintf(why, size, "'%.60s' changes while the mechanism moves, but a fixed number is needed here", name);
    else if (cd_find(r, CD_DEF_TABLE, a->element->level, name))
        snprintf(why, size, "'%.60s' is a table: write %.60s(x)", name, name);
    else if (cd_find(r, CD_DEF_POINT, a->element->level, name))
        snprintf(why, size, "'%.60s' is a point: write x(%.60s), y(%.60s) or z(%.60s)", name, name, name, name);
    else
        return false;
    return true;
}

static bool point_argument(asker* a, const char* name, double x[3], char* why, size_t size)
{
    char       near[200];
    cd_reader* r   = a->element->reader;
    cd_def*    def = cd_find(r, CD_DEF_POINT, a->element->level, name);
    if (!def) {
        snprintf(why, size, "there is no point '%s'%s", name,
                 cd_suggest(r, CD_DEF_POINT, a->element->level, a->node, name, near, sizeof near));
        return false;
    }
    def->key->used = def->value->used = true;
    if (!cd_point_value(r, def)) return a->told = true, false;
    // back from the world into the coordinates and units of the formula
    const cd_frame* base   = cd_level_base(a->element->level);
    const double    length = a->node->file->length;
    cd_ledger*      l      = r->description->ledger;
    for (int i = 0; i < 3; ++i) {
        x[i] = 0;
        for (int k = 0; k < 3; ++k) x[i] = l_more(l, x[i], base->R[k][i], l_sub(l, def->x[k], base->p[k]));
        x[i] = l_div(l, x[i], length);
    }
    return true;
}

static cd_node table_node(asker* a, cd_def* def, const char* argument)
{
    cd_reader* r = a->element->reader;
    double     x, y;
    def->key->used = def->value->used = true;
    if (!cd_place_table(r, def) || !cd_number_text(a->element, a->node, argument, &x))
        return a->told = true, CD_NO_NODE;
    cd_ledger*    l     = r->description->ledger;
    cd_graph*     graph = r->description->graph;
    const cd_node node  = cd_lookup(graph, def->index, cd_ledger_node(l, graph, x), 0);
    if (node == CD_NO_NODE || cd_node_evaluate(graph, node, cd_ledger_values(l), &y) != CARDAN_OK)
        return built(a, CD_NO_NODE);
    if (l_knows(l, x)) return node;
    return built(a, cd_constant(r->scratch, y));
}

static cd_node call_node(void* user, const char* name, int count, const char* const* argument, char* why, size_t size)
{
    asker*     a = user;
    cd_reader* r = a->element->reader;
    double     p[3], q[3];
    cd_def*    table = cd_find(r, CD_DEF_TABLE, a->element->level, name);
    if (table && count == 1) return table_node(a, table, argument[0]);
    if (table) return snprintf(why, size, "table '%.60s' takes one argument", name), CD_NO_NODE;
    if (count == 1 && strlen(name) == 1 && strchr("xyz", name[0])) {
        if (!point_argument(a, argument[0], p, why, size)) return CD_NO_NODE;
        return built(a, cd_ledger_node(r->description->ledger, r->scratch, p[name[0] - 'x']));
    }
    if (count == 2 && strcmp(name, "distance") == 0) {
        if (!point_argument(a, argument[0], p, why, size) || !point_argument(a, argument[1], q, why, size))
            return CD_NO_NODE;
        cd_ledger*   l    = r->description->ledger;
        const double d[3] = {l_sub(l, p[0], q[0]), l_sub(l, p[1], q[1]), l_sub(l, p[2], q[2])};
        return built(a, cd_ledger_node(l, r->scratch, l_sqrt(l, l_dot(l, d, d))));
    }
    explain(user, name, why, size);
    return CD_NO_NODE;
}

// The scratch graph is renewed before it grows large; nothing outside a formula refers to it. Where parameters stay
// inputs it is the graph of the description.
static bool ready_scratch(cd_reader* r)
{
    if (r->description->ledger) return r->scratch = r->description->graph, true;
    if (r->scratch && (r->parsing > 0 || cd_graph_size(r->scratch) < SCRATCH_NODES)) return true;
    if (r->scratch) cd_graph_destroy(r->scratch);
    return (r->scratch = cd_graph_create()) || cd_reader_no_memory(r);
}

// Place of the byte `offset` of a formula; exact where the text stands in the file as it is.
static cd_yaml formula_place(const cd_yaml* node, const char* text, int offset)
{
    cd_yaml     at    = *node;
    const char* found = NULL;
    if (node->kind != CD_YAML_SCALAR) return at;
    const size_t length = strlen(node->text), n = strlen(text);
    if (text >= node->text && text <= node->text + length) found = text;
    for (size_t k = n > 0 && n <= length ? length - n + 1 : 0; !found && k-- > 0;)
        if (memcmp(node->text + k, text, n) == 0) found = node->text + k; // a copy: the last that reads so
    if (!found) return at;
    for (const char* s = node->text; s < found + offset && *s; ++s) at.column += ((unsigned char)*s & 0xc0) != 0x80;
    at.column += node->quoted;
    return at;
}

cd_node cd_parse_at(const cd_element* e, const cd_yaml* node, cd_graph* graph, const char* text, const cd_scope* scope,
                    const bool* told)
{
    cd_reader*     r     = e->reader;
    cd_parse_error error = {0};
    if (r->parsing >= DEEPEST)
        return cd_element_fail(e, node, "formulas depend on each other more than %d deep", DEEPEST), CD_NO_NODE;
    if (strchr(text, '?'))
        return cd_element_fail(e, node, "formulas have no 'c ? a : b': write if(c, a, b)"), CD_NO_NODE;
    ++r->parsing;
    const cd_node result = cd_parse(graph, text, scope, &error);
    --r->parsing;
    if (result != CD_NO_NODE) return result;
    const cd_yaml at = formula_place(node, text, error.column);
    if (*told && e->node)
        e->node->broken = true;
    else if (error.status == CARDAN_NO_MEMORY)
        cd_reader_no_memory(r);
    else if (!*told)
        cd_element_fail(e, &at, "%s", error.text);
    return CD_NO_NODE;
}

bool cd_number_text(const cd_element* e, const cd_yaml* node, const char* text, double* value)
{
    cd_reader*     r     = e->reader;
    asker          a     = {.element = e, .node = node};
    const cd_scope scope = {
        .user = &a, .name = name_node, .call = call_node, .candidate = name_candidate, .explain = explain};
    if (!ready_scratch(r)) return false;
    const cd_node result = cd_parse_at(e, node, r->scratch, text, &scope, &a.told);
    if (result == CD_NO_NODE) return false;
    cd_ledger* l = r->description->ledger;
    if (!cd_node_is_constant(r->scratch, result, value)) {
        if (cd_node_evaluate(r->scratch, result, cd_ledger_values(l), value) != CARDAN_OK)
            return cd_reader_no_memory(r);
        if (l) cd_ledger_enter(l, *value, result);
        if (l && !l_knows(l, *value))
            return cd_element_fail(
                e, node, "'%s' has steps, by which parameters decide what the mechanism is; they cannot be inputs",
                text);
    }
    if (!isfinite(*value)) return cd_element_fail(e, node, "the value of '%s' is not finite (%g)", text, *value);
    return true;
}

bool cd_decided(const cd_element* e, const cd_yaml* node, double value)
{
    const int input = cd_ledger_parameter(cd_ledger_at(e), value);
    return input < 0 ||
           cd_element_fail(e, node, "parameter '%s' decides what the mechanism is here; it cannot be an input",
                           e->reader->options->input[input]);
}

// Values

bool cd_number(const cd_element* e, const cd_yaml* node, cd_unit unit, double* value)
{
    char seen[100];
    if (node->broken) return false;
    if (node->kind != CD_YAML_SCALAR)
        return cd_element_fail(e, node, "a number is needed here, not %s", cd_yaml_describe(node, seen, sizeof seen));
    const char* text = cd_substitute(e, node);
    if (!text) return false;
    while (isspace((unsigned char)*text)) ++text;
    if (*text == '=') {
        if (!cd_number_text(e, node, text + 1, value)) return false;
    } else if (!cd_parse_plain_number(text, value)) {
        if (cd_find(e->reader, CD_DEF_PARAMETER, e->level, text))
            return cd_element_fail(e, node, "'%s' is a text; write =%s for the value of the parameter", text, text);
        return cd_element_fail(e, node, "'%s' is not a number; a formula begins with =", text);
    }
    if (!isfinite(*value)) return cd_element_fail(e, node, "the number %s is not finite", text);
    *value = l_mul(cd_ledger_at(e), *value, cd_unit_factor(node->file, unit));
    if (unit != CD_UNIT_NONE && !(fabs(*value) <= cd_largest_quantity))
        return cd_element_fail(e, node, "the number %s cannot be computed with: in SI units quantities go up to %g",
                               text, cd_largest_quantity);
    return true;
}

bool cd_bound(const cd_element* e, const cd_yaml* node, cd_unit unit, double* value)
{
    const bool scalar = node->kind == CD_YAML_SCALAR && !node->broken;
    if (scalar && cd_word_in(node->text, ".inf +.inf")) return *value = INFINITY, true;
    if (scalar && cd_word_in(node->text, "-.inf")) return *value = -INFINITY, true;
    if (scalar && cd_parse_plain_number(node->text, value) && fabs(*value) > cd_largest_quantity)
        return *value = copysign(INFINITY, *value), true; // as good as none
    return cd_number(e, node, unit, value);
}

bool cd_integer(const cd_element* e, const cd_yaml* node, int* value)
{
    double number;
    if (!cd_number(e, node, CD_UNIT_NONE, &number) || !cd_decided(e, node, number)) return false;
    if (number != floor(number) || fabs(number) > 1e9)
        return cd_element_fail(e, node, "a whole number is needed here, not %g", number);
    *value = (int)number;
    return true;
}

bool cd_boolean(const cd_element* e, const cd_yaml* node, bool* value)
{
    (void)e;
    if (node->broken || node->kind != CD_YAML_SCALAR) return false;
    *value = strcmp(node->text, "true") == 0 || strcmp(node->text, "yes") == 0;
    return true;
}

bool cd_numbers(const cd_element* e, const cd_yaml* list, cd_unit unit, int count, double* value)
{
    if (list->broken || list->kind != CD_YAML_LIST || list->count < count) return false;
    bool ok = true;
    for (int i = 0; i < count; ++i) ok = cd_number(e, list->entry[i].value, unit, &value[i]) && ok;
    return ok;
}

bool cd_get_number(const cd_element* e, const char* key, double* value)
{
    const cd_yaml* node = cd_yaml_get(e->node, key);
    if (!node) return true;
    return cd_number(e, node, cd_key_find(e->section, key)->unit, value);
}

// Parameters

static bool circular(cd_reader* r, const cd_def* def)
{
    cd_text path = {0};
    int     i    = r->nreading - 1;
    while (i > 0 && r->reading[i] != def) --i;
    for (; i < r->nreading; ++i) cd_text_format(&path, "%s -> ", r->reading[i]->name);
    cd_text_add(&path, def->name);
    cd_reader_fail(r, def->value, "%s '%s' depends on itself: %s", def->kind == CD_DEF_POINT ? "point" : "parameter",
                   def->name, path.failed ? "" : path.data);
    cd_text_free(&path);
    return false;
}

bool cd_enter(cd_reader* r, cd_def* def)
{
    if (def->stage == CD_READING) return circular(r, def);
    if (r->nreading == sizeof r->reading / sizeof *r->reading)
        return cd_reader_fail(r, def->value, "definitions depend on each other more than %d deep; reorder them",
                              r->nreading);
    r->reading[r->nreading++] = def;
    def->stage                = CD_READING;
    return true;
}

bool cd_leave(cd_reader* r, cd_def* def, bool ok)
{
    --r->nreading;
    def->stage = ok ? CD_READ : CD_FAILED;
    return ok;
}

bool cd_parameter_value(cd_reader* r, cd_def* def, double* value)
{
    const cd_element e = {
        .reader = r, .level = def->level, .node = def->value, .label = "parameter", .name = def->name};
    if (def->stage == CD_UNREAD && !def->waiting && !cd_read_needed(r, def)) return false;
    if (def->stage == CD_FAILED) return false;
    if (def->stage != CD_READ) {
        if (!cd_enter(r, def)) return def->stage = CD_FAILED, false;
        bool ok;
        if (def->setting && cd_parse_plain_number(def->setting, &def->x[0]))
            ok = true;
        else if (def->setting)
            ok = cd_number_text(&e, def->value, def->setting + (def->setting[0] == '='), &def->x[0]);
        else
            ok = cd_number(&e, def->value, CD_UNIT_NONE, &def->x[0]);
        if (!cd_leave(r, def, ok)) return false;
        if (def->input >= 0) cd_ledger_set(r->description->ledger, def->input, def->x[0]);
    }
    *value = def->x[0];
    return true;
}
