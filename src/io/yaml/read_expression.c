// SPDX-License-Identifier: BSD-3-Clause
// Formulas of time and motion, in SI units. Names are resolved as everywhere; in a mirrored or moved use of a template,
// x, y, z are its local coordinates: x_local = R' (x_world - p), velocities R' v, angular velocities det(R) R' w, and
// relative to a marker diag(sign) v, det(R) diag(sign) w.
#include "io/yaml/read_model.h"

#include "model/description.h"
#include "model/signal_calls.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef const cd_signal_call* signal_call;

typedef struct expression_context {
    const cd_model_element* element;
    const cd_yaml*          node;
    bool                    reported;
    bool                    depends_on_signal; // depends on time, state or motion
} expression_context;

static signal_call find_call(const char* name) { return cd_signal_call_find(name, false); }

static cd_graph* graph_of(const expression_context* m) { return m->element->reader->description->graph; }

// Report a failed node; the graph only fails without memory.
static cd_node check_node(expression_context* m, cd_node node)
{
    if (node < 0) m->reported = !cd_reader_fail_no_memory(m->element->reader);
    return node;
}

static cd_node signal_node(expression_context* m, cardan_signal signal)
{
    m->depends_on_signal = true;
    return check_node(m, cd_signal_node(m->element->reader->description, signal));
}

static cd_node number_node(const expression_context* m, double value)
{
    return cd_parametric_node(cd_element_parametric(m->element), graph_of(m), value);
}

static cd_node scaled(const expression_context* m, double factor, cd_node node)
{
    return cd_binary(graph_of(m), CD_MUL, number_node(m, factor), node);
}

// ---- names

// Node of a value or output, evaluated when it is first needed; CD_NO_NODE if there is none of this name.
static cd_node value_node(expression_context* m, cd_definition_kind kind, const char* name)
{
    cd_definition* def = cd_find_definition(m->element->reader, kind, m->element->level, name);
    if (!def) return CD_NO_NODE;
    def->key->is_referenced = true;
    if (!cd_evaluate_definition(m->element->reader, def)) return m->reported = true, CD_NO_NODE;
    m->depends_on_signal |= def->varies;
    return def->expression;
}

// Names are searched as states, values, parameters and counters, and last as outputs: an output often has the name of
// the quantity that it records.
static cd_node name_node(void* user, const char* name)
{
    expression_context* m     = user;
    cd_reader*          r     = m->element->reader;
    const cd_level*     level = m->element->level;
    cd_definition*      parameter;
    double              value;
    if (strcmp(name, "t") == 0) return signal_node(m, (cardan_signal){CARDAN_SIGNAL_TIME, CARDAN_NONE, CARDAN_NONE, 0});
    const cd_definition* state = cd_find_definition(r, CD_DEFINITION_STATE, level, name);
    if (state) return signal_node(m, (cardan_signal){CARDAN_SIGNAL_STATE, state->index, CARDAN_NONE, 0});
    const cd_node node = value_node(m, CD_DEFINITION_VALUE, name);
    if (node != CD_NO_NODE || m->reported) return node;
    if (!cd_find_parameter_or_counter(r, level, name, &parameter, &value))
        return value_node(m, CD_DEFINITION_OUTPUT, name);
    if (parameter) {
        parameter->key->is_referenced = true;
        if (!cd_evaluate_definition(r, parameter)) return m->reported = true, CD_NO_NODE;
        value = parameter->x[0];
    }
    return check_node(m, number_node(m, value));
}

static int table_index(void* user, const char* name)
{
    expression_context* m   = user;
    cd_definition*      def = cd_find_definition(m->element->reader, CD_DEFINITION_TABLE, m->element->level, name);
    if (!def) return -1;
    def->key->is_referenced = true;
    if (!cd_evaluate_definition(m->element->reader, def)) m->reported = true;
    return def->index;
}

static const char* candidate(void* user, int i)
{
    static const cd_definition_kind kinds[] = {CD_DEFINITION_PARAMETER, CD_DEFINITION_STATE, CD_DEFINITION_TABLE,
                                               CD_DEFINITION_VALUE, CD_DEFINITION_OUTPUT};
    const cd_reader*                r       = ((expression_context*)user)->element->reader;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; i -= r->defs[kinds[k++]].count)
        if (i < r->defs[kinds[k]].count) return r->defs[kinds[k]].list[i]->name;
    const signal_call call = cd_signal_call_at(i, false);
    return call ? call->name : i == cd_signal_call_count(false) ? "t" : NULL;
}

static bool explain(void* user, const char* name, char* why, size_t size)
{
    const expression_context* m     = user;
    cd_reader*                r     = m->element->reader;
    const cd_level*           level = m->element->level;
    const signal_call         call  = find_call(name);
    if (m->reported || cd_reader_report_is_full(r))
        snprintf(why, size, "'%.60s' has no value", name);
    else if (call)
        snprintf(why, size, "'%s' is a function: write %s", name, call->signature);
    else if (cd_find_definition(r, CD_DEFINITION_TABLE, level, name))
        snprintf(why, size, "'%.60s' is a table: write %.60s(x)", name, name);
    else if (cd_find_definition(r, CD_DEFINITION_JOINT, level, name))
        snprintf(why, size, "'%.60s' is a joint: write q(%.60s) or v(%.60s)", name, name, name);
    else if (cd_find_definition(r, CD_DEFINITION_FRAME, level, name))
        snprintf(why, size, "'%.60s' is a marker: write x(%.60s), vx(%.60s) and so on", name, name, name);
    else
        return false;
    return true;
}

// ---- calls

static cd_definition* find_referenced(expression_context* m, cd_definition_kind kind, const char* what, int argument,
                                      const char* name, cd_call_error* error)
{
    char            suggestion[200];
    cd_reader*      r     = m->element->reader;
    const cd_level* level = m->element->level;
    cd_definition*  def   = cd_find_definition(r, kind, level, name);
    if (def) {
        def->key->is_referenced = true;
        if (def->status == CD_DEFINITION_FAILED || (kind == CD_DEFINITION_JOINT && def->index < 0)) m->reported = true;
        return m->reported ? NULL : def;
    }
    if (kind == CD_DEFINITION_FRAME && cd_find_definition(r, CD_DEFINITION_POINT, level, name))
        cd_call_fail(error, argument,
                     "'%.60s' is a point, which is not fixed to a body: define a marker {on: body, at: %.60s}", name,
                     name);
    else
        cd_call_fail(error, argument, "there is no %s '%.60s'%s", what, name,
                     cd_suggest_name(r, kind, level, m->node, name, suggestion, sizeof suggestion));
    return NULL;
}

static cd_node joint_signal(expression_context* m, signal_call call, int count, const char* const* argument,
                            cd_call_error* error)
{
    cd_reader*           r     = m->element->reader;
    cd_definition*       joint = find_referenced(m, CD_DEFINITION_JOINT, "joint", 0, argument[0], error);
    cd_coordinate_layout c;
    double               index = 1;
    if (!joint || !cd_coordinate_layout_of(&r->description->joint[joint->index], &c)) return CD_NO_NODE;
    const bool velocity  = call->kind == CARDAN_SIGNAL_SPEED;
    const int  count_max = velocity ? c.nv : c.nq;
    if (count == 2 && (!cd_evaluate_number_formula(m->element, m->node, argument[1], &index) ||
                       !cd_require_structural_constant(m->element, m->node, index)))
        return m->reported = true, CD_NO_NODE;
    if (count_max == 0) {
        cd_call_fail(error, 0, "joint '%.60s' is fixed and has no coordinates", argument[0]);
    } else if (count == 1 && count_max > 1) {
        cd_call_fail(error, 0, "joint '%.60s' has %d coordinates or velocities: write %s(%.60s, 1) to %s(%.60s, %d)",
                     argument[0], count_max, call->name, argument[0], call->name, argument[0], count_max);
    } else if (index != floor(index) || index < 1 || index > count_max) {
        cd_call_fail(error, 1, "the index '%.60s' of %s must be a whole number from 1 to %d", argument[1], call->name,
                     count_max);
    } else {
        const int    i    = (int)index - 1;
        const double sign = velocity ? cd_v_sign(m->element->level, &c, i) : cd_q_sign(m->element->level, &c, i);
        return scaled(m, sign, signal_node(m, (cardan_signal){call->kind, joint->index, CARDAN_NONE, i}));
    }
    return CD_NO_NODE;
}

// Find the marker of a name; CARDAN_NONE for ground as second argument.
static bool marker_argument(expression_context* m, int argument, const char* name, int* marker, cd_call_error* error)
{
    const cd_definition* def = find_referenced(m, CD_DEFINITION_FRAME, "marker or body", argument, name, error);
    if (!def) return false;
    const bool ground = def->is_body && def->index == CARDAN_GROUND;
    *marker           = ground && argument > 0
                            ? CARDAN_NONE
                            : cardan_description_find_marker(m->element->reader->description, ground ? "ground" : def->name);
    if (*marker == CARDAN_NONE && !ground) m->reported = true;
    return !m->reported;
}

static cd_node vector_component(expression_context* m, cardan_signal signal, bool relative)
{
    const cd_placement* p                 = m->element->level->placement;
    const int           k                 = signal.component;
    const double        pseudovector_sign = signal.kind == CARDAN_SIGNAL_ANGULAR_VELOCITY && p->is_mirrored ? -1 : 1;
    if (relative) return scaled(m, pseudovector_sign * p->sign[k], signal_node(m, signal));
    cd_graph* graph = graph_of(m);
    cd_node   sum   = cd_constant(graph, 0);
    for (int i = 0; i < 3; ++i) {
        const double R = p->base.R[i][k];
        if (R == 0) continue;
        signal.component = i;
        cd_node term     = signal_node(m, signal);
        if (signal.kind == CARDAN_SIGNAL_POSITION) term = cd_binary(graph, CD_SUB, term, number_node(m, p->base.p[i]));
        sum = cd_binary(graph, CD_ADD, sum, scaled(m, pseudovector_sign * R, term));
    }
    return sum;
}

static cd_node marker_signal(expression_context* m, signal_call call, int count, const char* const* argument,
                             cd_call_error* error)
{
    cardan_signal       s   = {call->kind, CARDAN_NONE, CARDAN_NONE, call->component};
    const bool          two = call->arguments == CD_OF_TWO_MARKERS;
    const cd_placement* p   = m->element->level->placement;
    if (!marker_argument(m, 0, argument[0], &s.a, error)) return CD_NO_NODE;
    if (count >= 2 && !marker_argument(m, 1, argument[1], &s.b, error)) return CD_NO_NODE;
    const int ground = cardan_description_find_marker(m->element->reader->description, "ground");
    if (count >= 2 && (s.a == s.b || (s.a == ground && s.b == CARDAN_NONE)))
        return cd_call_fail(error, 0, "both markers are '%.60s'; they must differ", argument[1]);
    if (!two) return vector_component(m, s, count == 2);
    if (s.kind == CARDAN_SIGNAL_ANGLE) {
        const char* axis = count == 3 ? argument[2] : "z";
        if (strlen(axis) != 1 || !strchr("xyz", *axis))
            return cd_call_fail(error, 2, "the axis '%.60s' of angle must be x, y or z", axis);
        s.component = *axis - 'x';
        return scaled(m, (p->is_mirrored ? -1 : 1) * p->sign[s.component], signal_node(m, s));
    }
    // distances are symmetric: use one signal for both orders, ground second
    const bool world = s.b >= 0 && s.a == ground;
    if (world || (s.b >= 0 && s.b < s.a)) {
        const int first = s.a;
        s.a             = s.b;
        s.b             = world ? CARDAN_NONE : first;
    }
    return signal_node(m, s);
}

// Reaction of a joint: magnitudes, or components in the axes of the template or of a marker.
static cd_node reaction_signal(expression_context* m, signal_call call, int count, const char* const* argument,
                               cd_call_error* error)
{
    cd_definition*       joint = find_referenced(m, CD_DEFINITION_JOINT, "joint", 0, argument[0], error);
    const cd_placement*  p     = m->element->level->placement;
    cardan_signal        s     = {call->kind, CARDAN_NONE, CARDAN_NONE, call->component};
    cd_coordinate_layout c;
    if (!joint || !cd_coordinate_layout_of(&m->element->reader->description->joint[joint->index], &c))
        return CD_NO_NODE;
    if (c.nv == 6) return cd_call_fail(error, 0, "joint '%.60s' is free and has no reaction", argument[0]);
    s.a = joint->index;
    if (count == 2 && !marker_argument(m, 1, argument[1], &s.b, error)) return CD_NO_NODE;
    if (s.component >= 6) return signal_node(m, s);
    const int    first = s.component - s.component % 3, k = s.component % 3;
    const double pseudovector_sign = first == 3 && p->is_mirrored ? -1 : 1;
    if (count == 2) return scaled(m, pseudovector_sign * p->sign[k], signal_node(m, s));
    cd_node sum = cd_constant(graph_of(m), 0);
    for (int i = 0; i < 3; ++i) {
        if (p->base.R[i][k] == 0) continue;
        s.component = first + i;
        sum = cd_binary(graph_of(m), CD_ADD, sum, scaled(m, pseudovector_sign * p->base.R[i][k], signal_node(m, s)));
    }
    return sum;
}

static cd_node call_node(void* user, const char* name, int count, const char* const* argument, cd_call_error* error)
{
    const signal_call call = find_call(name);
    if (!call) return CD_NO_NODE;
    if (count < call->min_arguments || count > call->max_arguments)
        return cd_call_fail(error, -1, "the number of arguments of %s is wrong: write %s", name, call->signature);
    expression_context* m    = user;
    const cd_node       node = call->arguments == CD_OF_JOINT      ? joint_signal(m, call, count, argument, error)
                               : call->arguments == CD_OF_REACTION ? reaction_signal(m, call, count, argument, error)
                                                                   : marker_signal(m, call, count, argument, error);
    return *error->text || m->reported ? node : check_node(m, node);
}

// Read a formula; *varies: it depends on time, state or motion.
static bool read_formula(const cd_model_element* e, const cd_yaml* node, cardan_expression* expression, bool* varies)
{
    cd_reader* r = e->reader;
    double     value;
    if (node->has_error || node->kind != CD_YAML_SCALAR) return false;
    const char* text = cd_substitute_counters(e, node);
    if (!text) return false;
    while (isspace((unsigned char)*text)) ++text;
    if (*text != '=') {
        if (!cd_read_number(e, node, CD_UNIT_NONE, &value)) return false;
        *expression = cd_parametric_node(r->description->parametric, r->description->graph, value);
        return *expression != CARDAN_NONE || cd_reader_fail_no_memory(r);
    }
    expression_context   m     = {.element = e, .node = node};
    const cd_parse_scope scope = {.user         = &m,
                                  .resolve_name = name_node,
                                  .resolve_call = call_node,
                                  .candidate    = candidate,
                                  .find_table   = table_index,
                                  .explain      = explain};
    *expression                = cd_parse_formula_at(e, node, r->description->graph, text + 1, &scope, &m.reported);
    if (*expression == CD_NO_NODE || m.reported) return false;
    *varies = m.depends_on_signal;
    if (m.depends_on_signal || (cd_node_is_constant(r->description->graph, *expression, &value) && isfinite(value)))
        return true;
    if (cd_node_evaluate(r->description->graph, *expression, cd_parametric_input_values(r->description->parametric),
                         &value) != CARDAN_OK)
        return cd_reader_fail_no_memory(r);
    if (!isfinite(value)) return cd_element_fail(e, node, "the value of '%s' is not finite (%g)", text + 1, value);
    return true;
}

bool cd_read_expression(const cd_model_element* e, const cd_yaml* node, cardan_expression* expression)
{
    bool varies = false;
    return read_formula(e, node, expression, &varies);
}

bool cd_evaluate_value(cd_reader* r, cd_definition* def)
{
    const cd_yaml*         node = def->value->kind == CD_YAML_MAP ? cd_yaml_get(def->value, "value") : def->value;
    const cd_model_element e    = {.reader = r,
                                   .level  = def->level,
                                   .node   = def->value,
                                   .label  = def->kind == CD_DEFINITION_OUTPUT ? "output" : "value",
                                   .name   = def->name};
    if (!node || def->value->has_error) return def->status = CD_DEFINITION_FAILED, false;
    if (!cd_definition_begin(r, def)) return def->status = CD_DEFINITION_FAILED, false;
    return cd_definition_end(r, def, read_formula(&e, node, &def->expression, &def->varies));
}
