// SPDX-License-Identifier: BSD-3-Clause
// Values that are evaluated to numbers: literals, and formulas of parameters, counters, points and tables.
#include "io/yaml/read_model.h"

#include "model/check/check_description.h"
#include "model/description.h"
#include "model/signal_calls.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCRATCH_NODES = 20000, MAX_DEPTH = 100 };

double cd_unit_factor(const cd_yaml_file* file, cd_unit unit)
{
    const cd_unit_entry* entry  = cd_unit_at(unit);
    double               factor = 1;
    const struct {
        int    power;
        double value;
    } parts[] = {{entry->length, file->length_unit}, {entry->angle, file->angle_unit}, {entry->mass, file->mass_unit}};
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < parts[i].power; ++k) factor *= parts[i].value;
        for (int k = 0; k > parts[i].power; --k) factor /= parts[i].value;
    }
    return factor;
}

bool cd_parse_plain_number(const char* text, double* value)
{
    char* end;
    if (!isdigit((unsigned char)text[0]) && !strchr("+-.", text[0])) return false; // neither inf nor nan
    if (text[0] == '\0' || strpbrk(text, "xXnN")) return false;
    *value = strtod(text, &end);
    return end != text && *end == '\0';
}

// ---- formulas

typedef struct formula_context {
    const cd_model_element* element;
    const cd_yaml*          node;
    bool                    reported; // the cause is already reported
} formula_context;

// Report a failed node; the graph only fails without memory.
static cd_node check_node(formula_context* a, cd_node node)
{
    if (node < 0) a->reported = !cd_reader_fail_no_memory(a->element->reader);
    return node;
}

static cd_node name_node(void* user, const char* name)
{
    formula_context* a = user;
    cd_reader*       r = a->element->reader;
    cd_definition*   parameter;
    double           value;
    if (!cd_find_parameter_or_counter(r, a->element->level, name, &parameter, &value) &&
        !(parameter = cd_find_definition(r, CD_DEFINITION_CONSTANT_VALUE, a->element->level, name)))
        return CD_NO_NODE;
    if (parameter) {
        parameter->key->is_referenced = true;
        if (!cd_evaluate_definition(r, parameter)) return a->reported = true, CD_NO_NODE;
        value = parameter->x[0];
    }
    return check_node(a, cd_parametric_node(r->description->parametric, r->number_graph, value));
}

// Candidates of "did you mean": counters, then parameters, then values.
static const char* name_candidate(void* user, int i)
{
    const formula_context* a      = user;
    const cd_definitions*  defs   = &a->element->reader->defs[CD_DEFINITION_PARAMETER];
    const cd_definitions*  values = &a->element->reader->defs[CD_DEFINITION_CONSTANT_VALUE];
    for (const cd_level* l = a->element->level; l; l = l->outer)
        if (l->variable && i-- == 0) return l->variable;
    if (i < defs->count) return defs->list[i]->name;
    return i - defs->count < values->count ? values->list[i - defs->count]->name : NULL;
}

// Explain why a name has no value here: it is not defined, or it varies with time.
static bool explain(void* user, const char* name, char* why, size_t size)
{
    const formula_context* a = user;
    cd_reader*             r = a->element->reader;
    if (a->reported || cd_reader_report_is_full(r)) return snprintf(why, size, "'%.60s' has no value", name), true;
    const bool varies = strcmp(name, "t") == 0 || cd_signal_call_find(name, false) ||
                        cd_find_definition(r, CD_DEFINITION_STATE, a->element->level, name) ||
                        cd_find_definition(r, CD_DEFINITION_OUTPUT, a->element->level, name);
    if (varies)
        snprintf(why, size, "'%.60s' varies with the motion, but this formula must be constant", name);
    else if (cd_find_definition(r, CD_DEFINITION_TABLE, a->element->level, name))
        snprintf(why, size, "'%.60s' is a table: write %.60s(x)", name, name);
    else if (cd_find_definition(r, CD_DEFINITION_POINT, a->element->level, name))
        snprintf(why, size, "'%.60s' is a point: write x(%.60s), y(%.60s) or z(%.60s)", name, name, name, name);
    else
        return false;
    return true;
}

static bool point_argument(formula_context* a, int argument, const char* name, double x[3], cd_call_error* error)
{
    char           suggestion[200];
    cd_reader*     r   = a->element->reader;
    cd_definition* def = cd_find_definition(r, CD_DEFINITION_POINT, a->element->level, name);
    if (!def) {
        cd_call_fail(
            error, argument, "there is no point '%s'%s", name,
            cd_suggest_name(r, CD_DEFINITION_POINT, a->element->level, a->node, name, suggestion, sizeof suggestion));
        return false;
    }
    def->key->is_referenced = def->value->is_referenced = true;
    if (!cd_evaluate_definition(r, def)) return a->reported = true, false;
    // transform from the world to the coordinates and units of the formula
    const cd_frame* base   = &a->element->level->placement->base;
    const double    length = a->node->file->length_unit;
    cd_parametric*  l      = r->description->parametric;
    for (int i = 0; i < 3; ++i) {
        x[i] = 0;
        for (int k = 0; k < 3; ++k) x[i] = par_add_product(l, x[i], base->R[k][i], par_sub(l, def->x[k], base->p[k]));
        x[i] = par_div(l, x[i], length);
    }
    return true;
}

static cd_node table_node(formula_context* a, cd_definition* def, const char* argument)
{
    cd_reader* r = a->element->reader;
    double     x, y;
    def->key->is_referenced = def->value->is_referenced = true;
    if (!cd_evaluate_definition(r, def) || !cd_evaluate_number_formula(a->element, a->node, argument, &x))
        return a->reported = true, CD_NO_NODE;
    cd_parametric* l     = r->description->parametric;
    cd_graph*      graph = r->description->graph;
    const cd_node  node  = cd_table_lookup(graph, def->index, cd_parametric_node(l, graph, x), 0);
    if (node == CD_NO_NODE || cd_node_evaluate(graph, node, cd_parametric_input_values(l), &y) != CARDAN_OK)
        return check_node(a, CD_NO_NODE);
    if (par_is_parametric(l, x)) return node;
    return check_node(a, cd_constant(r->number_graph, y));
}

static cd_node call_node(void* user, const char* name, int count, const char* const* argument, cd_call_error* error)
{
    formula_context* a = user;
    cd_reader*       r = a->element->reader;
    double           p[3], q[3];
    cd_definition*   table = cd_find_definition(r, CD_DEFINITION_TABLE, a->element->level, name);
    if (table && count == 1) return table_node(a, table, argument[0]);
    if (table) return cd_call_fail(error, -1, "the table '%.60s' takes 1 argument", name);
    if (count == 1 && strlen(name) == 1 && strchr("xyz", name[0])) {
        if (!point_argument(a, 0, argument[0], p, error)) return CD_NO_NODE;
        return check_node(a, cd_parametric_node(r->description->parametric, r->number_graph, p[name[0] - 'x']));
    }
    if (count == 2 && strcmp(name, "distance") == 0) {
        if (!point_argument(a, 0, argument[0], p, error) || !point_argument(a, 1, argument[1], q, error))
            return CD_NO_NODE;
        cd_parametric* l    = r->description->parametric;
        const double   d[3] = {par_sub(l, p[0], q[0]), par_sub(l, p[1], q[1]), par_sub(l, p[2], q[2])};
        return check_node(a, cd_parametric_node(l, r->number_graph, par_sqrt(l, par_dot(l, d, d))));
    }
    explain(user, name, error->text, sizeof error->text);
    return CD_NO_NODE;
}

// Prepare the scratch graph. It is recreated before it becomes large; nothing outside a formula refers to it. If
// parameters remain inputs, it is the graph of the description.
static bool prepare_number_graph(cd_reader* r)
{
    if (r->description->parametric) return r->number_graph = r->description->graph, true;
    if (r->number_graph && (r->parse_depth > 0 || cd_graph_size(r->number_graph) < SCRATCH_NODES)) return true;
    if (r->number_graph) cd_graph_destroy(r->number_graph);
    return (r->number_graph = cd_graph_create()) || cd_reader_fail_no_memory(r);
}

// Location of byte `offset` of a formula; exact if the text occurs unchanged in the file.
static cd_yaml formula_location(const cd_yaml* node, const char* text, int offset)
{
    cd_yaml     at    = *node;
    const char* found = NULL;
    if (node->kind != CD_YAML_SCALAR) return at;
    const size_t length = strlen(node->text), n = strlen(text);
    if (text >= node->text && text <= node->text + length) found = text;
    for (size_t k = n > 0 && n <= length ? length - n + 1 : 0; !found && k-- > 0;)
        if (memcmp(node->text + k, text, n) == 0) found = node->text + k; // copied text: last occurrence
    if (!found) return at;
    for (const char* s = node->text; s < found + offset && *s; ++s) at.column += ((unsigned char)*s & 0xc0) != 0x80;
    at.column += node->is_quoted;
    return at;
}

cd_node cd_parse_formula_at(const cd_model_element* e, const cd_yaml* node, cd_graph* graph, const char* text,
                            const cd_parse_scope* scope, const bool* reported)
{
    cd_reader*     r     = e->reader;
    cd_parse_error error = {0};
    if (r->parse_depth >= MAX_DEPTH)
        return cd_element_fail(e, node, "formulas depend on each other over more than %d levels", MAX_DEPTH),
               CD_NO_NODE;
    if (strchr(text, '?'))
        return cd_element_fail(e, node, "formulas have no 'c ? a : b': write if(c, a, b)"), CD_NO_NODE;
    ++r->parse_depth;
    const cd_node result = cd_parse(graph, text, scope, &error);
    --r->parse_depth;
    if (result != CD_NO_NODE) return result;
    const cd_yaml at = formula_location(node, text, error.column);
    if (*reported && e->node)
        e->node->has_error = true;
    else if (error.status == CARDAN_NO_MEMORY)
        cd_reader_fail_no_memory(r);
    else if (!*reported)
        cd_element_fail(e, &at, "%s", error.text);
    return CD_NO_NODE;
}

bool cd_evaluate_number_formula(const cd_model_element* e, const cd_yaml* node, const char* text, double* value)
{
    cd_reader*           r     = e->reader;
    formula_context      a     = {.element = e, .node = node};
    const cd_parse_scope scope = {.user         = &a,
                                  .resolve_name = name_node,
                                  .resolve_call = call_node,
                                  .candidate    = name_candidate,
                                  .explain      = explain};
    if (!prepare_number_graph(r)) return false;
    const cd_node result = cd_parse_formula_at(e, node, r->number_graph, text, &scope, &a.reported);
    if (result == CD_NO_NODE) return false;
    cd_parametric* l = r->description->parametric;
    if (!cd_node_is_constant(r->number_graph, result, value)) {
        if (cd_node_evaluate(r->number_graph, result, cd_parametric_input_values(l), value) != CARDAN_OK)
            return cd_reader_fail_no_memory(r);
        if (l) cd_parametric_register(l, *value, result);
        if (l && !par_is_parametric(l, *value))
            return cd_element_fail(e, node,
                                   "'%s' is discontinuous in parameters, which changes the structure of the mechanism; "
                                   "they cannot be inputs",
                                   text);
    }
    if (!isfinite(*value)) return cd_element_fail(e, node, "the value of '%s' is not finite (%g)", text, *value);
    return true;
}

bool cd_require_structural_constant(const cd_model_element* e, const cd_yaml* node, double value)
{
    const int input = cd_parametric_parameter_of(cd_element_parametric(e), value);
    return input < 0 ||
           cd_element_fail(e, node, "parameter '%s' changes the structure of the mechanism; it cannot be an input",
                           e->reader->options->input[input]);
}

// ---- values

bool cd_read_number(const cd_model_element* e, const cd_yaml* node, cd_unit unit, double* value)
{
    char description[100];
    if (node->has_error) return false;
    if (node->kind != CD_YAML_SCALAR)
        return cd_element_fail(e, node, "the value must be a number, not %s",
                               cd_yaml_describe(node, description, sizeof description));
    const char* text = cd_substitute_counters(e, node);
    if (!text) return false;
    while (isspace((unsigned char)*text)) ++text;
    if (*text == '=') {
        if (!cd_evaluate_number_formula(e, node, text + 1, value)) return false;
    } else if (!cd_parse_plain_number(text, value)) {
        if (cd_find_definition(e->reader, CD_DEFINITION_PARAMETER, e->level, text))
            return cd_element_fail(e, node, "'%s' is a text; write =%s for the value of the parameter", text, text);
        return cd_element_fail(e, node, "'%s' is not a number; a formula begins with =", text);
    }
    if (!isfinite(*value)) return cd_element_fail(e, node, "the number %s is not finite", text);
    *value = par_mul(cd_element_parametric(e), *value, cd_unit_factor(node->file, unit));
    if (unit != CD_UNIT_NONE && !(fabs(*value) <= cd_quantity_max))
        return cd_element_fail(e, node, "the number %s is too large: the limit of quantities in SI units is %g", text,
                               cd_quantity_max);
    return true;
}

bool cd_evaluate_constant_value(cd_reader* r, cd_definition* def)
{
    const cd_model_element e = {
        .reader = r, .level = def->level, .node = def->value, .label = "value", .name = def->name};
    if (!cd_definition_begin(r, def)) return def->status = CD_DEFINITION_FAILED, false;
    return cd_definition_end(r, def, cd_read_number(&e, def->value, CD_UNIT_NONE, &def->x[0]));
}

bool cd_read_bound(const cd_model_element* e, const cd_yaml* node, cd_unit unit, double* value)
{
    const bool scalar = node->kind == CD_YAML_SCALAR && !node->has_error;
    if (scalar && cd_word_list_contains(node->text, ".inf +.inf")) return *value = INFINITY, true;
    if (scalar && cd_word_list_contains(node->text, "-.inf")) return *value = -INFINITY, true;
    if (scalar && cd_parse_plain_number(node->text, value) && fabs(*value) > cd_quantity_max)
        return *value = copysign(INFINITY, *value), true; // equivalent to no bound
    return cd_read_number(e, node, unit, value);
}

bool cd_read_integer(const cd_model_element* e, const cd_yaml* node, int* value)
{
    double number;
    if (!cd_read_number(e, node, CD_UNIT_NONE, &number) || !cd_require_structural_constant(e, node, number))
        return false;
    if (number != floor(number) || fabs(number) > 1e9)
        return cd_element_fail(e, node, "the value must be a whole number, not %g", number);
    *value = (int)number;
    return true;
}

bool cd_read_boolean(const cd_model_element* e, const cd_yaml* node, bool* value)
{
    (void)e;
    if (node->has_error || node->kind != CD_YAML_SCALAR) return false;
    *value = strcmp(node->text, "true") == 0 || strcmp(node->text, "yes") == 0;
    return true;
}

bool cd_read_numbers(const cd_model_element* e, const cd_yaml* list, cd_unit unit, int count, double* value)
{
    if (list->has_error || list->kind != CD_YAML_LIST || list->count < count) return false;
    bool ok = true;
    for (int i = 0; i < count; ++i) ok = cd_read_number(e, list->entry[i].value, unit, &value[i]) && ok;
    return ok;
}

bool cd_read_number_key(const cd_model_element* e, const char* key, double* value)
{
    const cd_yaml* node = cd_yaml_get(e->node, key);
    if (!node) return true;
    return cd_read_number(e, node, cd_key_find(e->section, key)->unit, value);
}
