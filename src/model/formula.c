// SPDX-License-Identifier: BSD-3-Clause
// Formulas of a description: meaning of names and calls, and locations of errors.
#include "model/description.h"

#include "core/check_arguments.h"
#include "expression/parse.h"
#include "model/joint/joint_type.h"
#include "model/signal_calls.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef const cd_signal_call* signal_call;

// Context of one parse: the description, whether a number is required, failure of a call.
typedef struct formula_context {
    cardan_description* description;
    bool                needs_number;
    bool                is_task; // efforts and accelerations are allowed
    cd_call_error*      error;
    bool                no_memory;
} formula_context;

// The graph returns no node only if memory is exhausted.
static cd_node check_node(formula_context* r, cd_node node)
{
    r->no_memory = r->no_memory || node < 0;
    return node;
}

static cd_node name_node(void* user, const char* name)
{
    formula_context* r    = user;
    const bool       time = strcmp(name, "t") == 0;
    if (time && r->needs_number) return CD_NO_NODE;
    if (time)
        return check_node(
            r, cd_signal_node(r->description, (cardan_signal){CARDAN_SIGNAL_TIME, CARDAN_NONE, CARDAN_NONE, 0}));
    const int parameter = cd_name_table_find(r->description->parameter_names, name);
    if (parameter >= 0)
        return check_node(r, cd_constant(r->description->graph, r->description->parameter[parameter].value));
    if (r->needs_number) return CD_NO_NODE;
    const int state = cd_name_table_find(r->description->state_names, name);
    if (state < 0) return CD_NO_NODE;
    return check_node(r, cd_signal_node(r->description, (cardan_signal){CARDAN_SIGNAL_STATE, state, CARDAN_NONE, 0}));
}

static int table_index(void* user, const char* name)
{
    const formula_context* r = user;
    return cd_name_table_find(r->description->table_names, name);
}

static const char* candidate(void* user, int i)
{
    const formula_context* r        = user;
    cd_name_table* const   always[] = {r->description->parameter_names, r->description->table_names,
                                       r->description->state_names};
    for (int k = 0; k < (r->needs_number ? 2 : 3); ++k) {
        const int n = cd_name_table_count(always[k]);
        if (i < n) return cd_name_table_at(always[k], i);
        i -= n;
    }
    if (r->needs_number) return NULL;
    const signal_call call = cd_signal_call_at(i, r->is_task);
    return call ? call->name : i == cd_signal_call_count(r->is_task) ? "t" : NULL;
}

// Message for a name that exists but is not allowed here: a moving quantity where a number is required, an element
// without a call.
static bool explain(void* user, const char* name, char* reason, size_t size)
{
    const formula_context* r    = user;
    const signal_call      call = cd_signal_call_find(name, r->is_task);
    const bool moves = strcmp(name, "t") == 0 || call || cd_name_table_find(r->description->state_names, name) >= 0;
    if (r->needs_number && moves)
        snprintf(reason, size, "'%.60s' varies with the motion, but this formula must be constant", name);
    else if (call)
        snprintf(reason, size, "'%s' is a function: write %s", name, call->signature);
    else if (table_index(user, name) >= 0)
        snprintf(reason, size, "'%.60s' is a table: write %.60s(x)", name, name);
    else if (cd_name_table_find(r->description->joint_names, name) >= 0)
        snprintf(reason, size, "'%.60s' is a joint: write q(%.60s) or v(%.60s)", name, name, name);
    else if (cd_name_table_find(r->description->marker_names, name) >= 0)
        snprintf(reason, size, "'%.60s' is a marker: write x(%.60s), vx(%.60s) and so on", name, name, name);
    else
        return false;
    return true;
}

static const char* name_at(void* user, int i) { return cd_name_table_at(user, i); }

// Index of a named element, or -1 and a message. `line`: source line of an element, 0 if unknown.
static int find_named(const formula_context* r, int argument, cd_name_table* names, const char* kind, const char* name,
                      int (*line)(const cardan_description* d, int i))
{
    const int i = cd_name_table_find(names, name);
    if (i >= 0) return i;
    const char* suggestion      = cd_nearest_name(name, name_at, names);
    const int   suggestion_line = suggestion ? line(r->description, cd_name_table_find(names, suggestion)) : 0;
    if (!suggestion)
        cd_call_fail(r->error, argument, "there is no %s '%.60s'", kind, name);
    else if (suggestion_line > 0)
        cd_call_fail(r->error, argument, "there is no %s '%.60s' (did you mean '%.60s', line %d?)", kind, name,
                     suggestion, suggestion_line);
    else
        cd_call_fail(r->error, argument, "there is no %s '%.60s' (did you mean '%.60s'?)", kind, name, suggestion);
    return -1;
}

static int joint_line(const cardan_description* d, int i) { return d->joint[i].location.line; }
static int marker_line(const cardan_description* d, int i) { return d->marker[i].location.line; }

static int find_joint(const formula_context* r, const char* name)
{
    return find_named(r, 0, r->description->joint_names, "joint", name, joint_line);
}

static int find_marker(const formula_context* r, int argument, const char* name)
{
    return find_named(r, argument, r->description->marker_names, "marker or body", name, marker_line);
}

// The marker "ground" is the world (CARDAN_NONE).
static int world_if_ground(const cardan_description* d, int marker)
{
    return marker == cd_name_table_find(d->marker_names, "ground") ? CARDAN_NONE : marker;
}

static const cd_parse_scope number_scope = {
    .resolve_name = name_node, .candidate = candidate, .find_table = table_index, .explain = explain};

// Number of coordinates or velocities of a joint; the maximum if its type is unknown (yet).
static int count_components(const cardan_joint* joint, bool position)
{
    const cd_joint_type* type = joint->type ? cd_joint_type_find(joint->type) : NULL;
    cd_elementary_joint  element[CARDAN_JOINT_VELOCITIES_MAX];
    if (!type || joint->nelementary > CARDAN_JOINT_VELOCITIES_MAX)
        return position ? CARDAN_JOINT_VELOCITIES_MAX + 1 : CARDAN_JOINT_VELOCITIES_MAX;
    int       count = 0;
    const int n     = type->elementary_joints(joint, element);
    for (int i = 0; i < n; ++i) count += position ? cd_motion_nq(element[i].motion) : cd_motion_nv(element[i].motion);
    return count;
}

// Component of a joint, counted from 1 in the formula and from 0 in the signal. Returns false, with a message, if there
// is none.
static bool find_component(const formula_context* r, const char* call, const char* text, const cardan_joint* joint,
                           int max_index, int* component)
{
    formula_context inner = {.description = r->description, .needs_number = true};
    cd_parse_scope  scope = number_scope;
    cd_parse_error  error;
    double          value;
    scope.user         = &inner;
    const cd_node node = cd_parse(r->description->graph, text, &scope, &error);
    if (node < 0) {
        cd_call_fail(r->error, 1, "the index '%.60s' of %s: %.200s", text, call, error.text);
        return false;
    }
    *component = 0;
    if (cd_node_is_constant(r->description->graph, node, &value) && value == floor(value) && value >= 1 &&
        value <= max_index) {
        *component = (int)value - 1;
        return true;
    }
    char range[60] = "must be 1";
    if (max_index > 1) snprintf(range, sizeof range, "must be a whole number from 1 to %d", max_index);
    cd_call_fail(r->error, 1, "the index '%.60s' of %s %s: the type of joint '%.60s' is %.60s", text, call, range,
                 joint->name, joint->type ? joint->type : "undefined");
    return false;
}

static bool of_joint(const formula_context* r, signal_call call, int count, const char* const* argument,
                     cardan_signal* signal)
{
    signal->a = find_joint(r, argument[0]);
    if (signal->a < 0) return false;
    const cardan_joint* joint     = &r->description->joint[signal->a];
    const int           max_index = count_components(joint, signal->kind == CARDAN_SIGNAL_COORDINATE);
    if (max_index == 0)
        cd_call_fail(r->error, 0, "joint '%.60s' has no coordinates: its type is %.60s", joint->name, joint->type);
    if (max_index == 0) return false;
    return count == 1 || find_component(r, call->name, argument[1], joint, max_index, &signal->component);
}

static bool of_marker(const formula_context* r, int count, const char* const* argument, cardan_signal* signal)
{
    signal->a = find_marker(r, 0, argument[0]);
    if (signal->a < 0) return false;
    if (count == 1) return true;
    signal->b = find_marker(r, 1, argument[1]);
    if (signal->b < 0) return false;
    if (signal->a == signal->b) {
        cd_call_fail(r->error, 0, "both markers are '%.60s'; they must differ", argument[1]);
        return false;
    }
    signal->b = world_if_ground(r->description, signal->b);
    return true;
}

// Distances and their rates are symmetric: one signal, with the world second.
static bool of_two_markers(const formula_context* r, int count, const char* const* argument, cardan_signal* signal)
{
    if (!of_marker(r, 2, argument, signal)) return false;
    if (signal->kind == CARDAN_SIGNAL_ANGLE) {
        const char* axis = count == 3 ? argument[2] : "z";
        if (strlen(axis) == 1 && *axis >= 'x' && *axis <= 'z') {
            signal->component = *axis - 'x';
            return true;
        }
        cd_call_fail(r->error, 2, "the axis '%.60s' of angle must be x, y or z", axis);
        return false;
    }
    const bool world = signal->b >= 0 && world_if_ground(r->description, signal->a) < 0;
    if (world || (signal->b >= 0 && signal->b < signal->a)) {
        const int first = signal->a;
        signal->a       = signal->b;
        signal->b       = world ? CARDAN_NONE : first;
    }
    return true;
}

// Reaction of a joint, in world axes or those of a marker.
static bool of_reaction(const formula_context* r, int count, const char* const* argument, cardan_signal* signal)
{
    signal->a = find_joint(r, argument[0]);
    if (signal->a < 0) return false;
    const cardan_joint* joint = &r->description->joint[signal->a];
    if (joint->type && count_components(joint, false) == 6) {
        cd_call_fail(r->error, 0, "joint '%.60s' has no reaction: its type is %.60s", joint->name, joint->type);
        return false;
    }
    if (count == 1) return true;
    signal->b = find_marker(r, 1, argument[1]);
    if (signal->b < 0) return false;
    signal->b = world_if_ground(r->description, signal->b);
    return true;
}

static cd_node call_node(void* user, const char* name, int count, const char* const* argument, cd_call_error* error)
{
    formula_context* r     = user;
    r->error               = error;
    const signal_call call = cd_signal_call_find(name, r->is_task);
    if (!call) return CD_NO_NODE;
    if (count < call->min_arguments || count > call->max_arguments) {
        const bool range = call->max_arguments > call->min_arguments;
        char       takes[40];
        if (range)
            snprintf(takes, sizeof takes, "%d or %d", call->min_arguments, call->max_arguments);
        else
            snprintf(takes, sizeof takes, "%d", call->min_arguments);
        return cd_call_fail(error, -1, "%s takes %s arguments, not %d: %s", name, takes, count, call->signature);
    }
    cardan_signal signal = {call->kind, CARDAN_NONE, CARDAN_NONE, call->component};
    bool          ok     = false;
    switch (call->arguments) {
    case CD_OF_JOINT:
        ok = of_joint(r, call, count, argument, &signal);
        break;
    case CD_OF_MARKER:
        ok = of_marker(r, count, argument, &signal);
        break;
    case CD_OF_TWO_MARKERS:
        ok = of_two_markers(r, count, argument, &signal);
        break;
    case CD_OF_REACTION:
        ok = of_reaction(r, count, argument, &signal);
        break;
    }
    if (!ok) return CD_NO_NODE;
    return check_node(r, cd_signal_node(r->description, signal));
}

// Report an error at its location in the file; without a file, with its position in the formula.
static cardan_status fail_formula(const char* formula, cardan_location location, const cd_parse_error* error,
                                  cardan_report* report)
{
    int characters = 0;
    for (int i = 0; i < error->column && formula[i]; ++i) characters += ((unsigned char)formula[i] & 0xc0) != 0x80;
    if (location.line <= 0)
        return cardan_fail(report, error->status, CARDAN_CODE_EXPRESSION_INVALID, location,
                           "formula '%.100s', column %d: %s", formula, characters + 1, error->text);
    if (location.column > 0) location.column += characters;
    return cardan_fail(report, error->status, CARDAN_CODE_EXPRESSION_INVALID, location, "%s", error->text);
}

// Parse a formula; reject constants that are not finite.
static cardan_status parse_formula(cardan_description* d, bool number, bool task, const char* formula,
                                   cardan_location location, cd_node* node, cardan_report* report)
{
    formula_context r     = {.description = d, .needs_number = number, .is_task = task};
    cd_parse_scope  scope = number_scope;
    cd_parse_error  error;
    double          value;
    scope.user = &r;
    if (!number) scope.resolve_call = call_node;
    *node = cd_parse(d->graph, formula, &scope, &error);
    if (r.no_memory) *node = CD_NO_NODE, error = (cd_parse_error){CARDAN_NO_MEMORY, 0, "out of memory"};
    if (*node < 0) return fail_formula(formula, location, &error, report);
    if (cd_node_is_constant(d->graph, *node, &value) && isfinite(value)) return CARDAN_OK;

    const cardan_status status = cd_node_evaluate(d->graph, *node, NULL, &value);
    if (status == CARDAN_NO_MEMORY)
        error = (cd_parse_error){CARDAN_NO_MEMORY, 0, "out of memory"};
    else if (status == CARDAN_OK && !isfinite(value))
        error = (cd_parse_error){CARDAN_BAD_INPUT, 0, "the formula has no finite value"};
    else
        return CARDAN_OK;
    return fail_formula(formula, location, &error, report);
}

cardan_status cardan_description_parse(cardan_description* d, const char* formula, cardan_location location,
                                       cardan_expression* expression, cardan_report* report)
{
    CD_REQUIRE_POINTER(expression, "expression", report);
    *expression = CARDAN_NONE;
    CD_REQUIRE_POINTER(d, "description", report);
    CD_REQUIRE_POINTER(formula, "formula", report);
    cd_node             node;
    const cardan_status status = parse_formula(d, false, false, formula, location, &node, report);
    *expression                = status == CARDAN_OK ? node : CARDAN_NONE;
    return status;
}

cardan_status cd_parse_task_formula(cardan_description* d, const char* formula, cardan_location location,
                                    cardan_expression* expression, cardan_report* report)
{
    cd_node             node;
    const cardan_status status = parse_formula(d, false, true, formula, location, &node, report);
    *expression                = status == CARDAN_OK ? node : CARDAN_NONE;
    return status;
}

cardan_status cardan_description_parse_number(cardan_description* d, const char* formula, cardan_location location,
                                              double* value, cardan_report* report)
{
    CD_REQUIRE_POINTER(d, "description", report);
    CD_REQUIRE_POINTER(formula, "formula", report);
    CD_REQUIRE_POINTER(value, "value", report);
    cd_node             node;
    const cardan_status status = parse_formula(d, true, false, formula, location, &node, report);
    if (status != CARDAN_OK) return status;
    return cd_node_evaluate(d->graph, node, NULL, value);
}
