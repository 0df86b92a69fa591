// SPDX-License-Identifier: BSD-3-Clause
// Formulas over a description: what names and calls mean, and where an error stands in the file.
#include "model/description.h"

#include "core/arguments.h"
#include "expression/parse.h"
#include "model/joint_type.h"
#include "model/signal_calls.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef const cd_signal_call* call_row;

// One reading: the description, whether a number is wanted, room for a sentence.
typedef struct reading {
    cardan_description* d;
    bool                number;
    bool                task; // efforts and accelerations are known
    char*               why;
    size_t              size;
    bool                no_memory;
} reading;

// Memory is the only reason for the graph to refuse a node.
static cd_node built(reading* r, cd_node node)
{
    r->no_memory = r->no_memory || node < 0;
    return node;
}

static cd_node name_node(void* user, const char* name)
{
    reading*   r    = user;
    const bool time = strcmp(name, "t") == 0;
    if (time && r->number) return CD_NO_NODE;
    if (time) return built(r, cd_signal_node(r->d, (cardan_signal){CARDAN_SIGNAL_TIME, CARDAN_NONE, CARDAN_NONE, 0}));
    const int parameter = cd_names_find(r->d->parameter_names, name);
    if (parameter >= 0) return built(r, cd_constant(r->d->graph, r->d->parameter[parameter].value));
    if (r->number) return CD_NO_NODE;
    const int state = cd_names_find(r->d->state_names, name);
    if (state < 0) return CD_NO_NODE;
    return built(r, cd_signal_node(r->d, (cardan_signal){CARDAN_SIGNAL_STATE, state, CARDAN_NONE, 0}));
}

static int table_index(void* user, const char* name)
{
    const reading* r = user;
    return cd_names_find(r->d->table_names, name);
}

static const char* candidate(void* user, int i)
{
    const reading*  r        = user;
    cd_names* const always[] = {r->d->parameter_names, r->d->table_names, r->d->state_names};
    for (int k = 0; k < (r->number ? 2 : 3); ++k) {
        const int n = cd_names_count(always[k]);
        if (i < n) return cd_names_at(always[k], i);
        i -= n;
    }
    if (r->number) return NULL;
    const call_row call = cd_signal_call_at(i, r->task);
    return call ? call->name : i == cd_signal_call_count(r->task) ? "t" : NULL;
}

// Known, but not so: what moves where a number is wanted, parts of the mechanism without a call.
static bool explain(void* user, const char* name, char* why, size_t size)
{
    const reading* r     = user;
    const call_row call  = cd_signal_call_find(name, r->task);
    const bool     moves = strcmp(name, "t") == 0 || call || cd_names_find(r->d->state_names, name) >= 0;
    if (r->number && moves)
        snprintf(why, size, "'%.60s' changes while the mechanism moves, but a fixed number is needed here", name);
    else if (call)
        snprintf(why, size, "'%s' is a function: write %s", name, call->signature);
    else if (table_index(user, name) >= 0)
        snprintf(why, size, "'%.60s' is a table: write %.60s(x)", name, name);
    else if (cd_names_find(r->d->joint_names, name) >= 0)
        snprintf(why, size, "'%.60s' is a joint: write q(%.60s) or v(%.60s)", name, name, name);
    else if (cd_names_find(r->d->marker_names, name) >= 0)
        snprintf(why, size, "'%.60s' is a marker: write x(%.60s), vx(%.60s) and so on", name, name, name);
    else
        return false;
    return true;
}

static const char* name_at(void* user, int i) { return cd_names_at(user, i); }

// Index of a named part, or -1 and a sentence. `line` tells where a part was described, 0 if nobody knows.
static int find_part(const reading* r, cd_names* names, const char* kind, const char* name,
                     int (*line)(const cardan_description* d, int i))
{
    const int i = cd_names_find(names, name);
    if (i >= 0) return i;
    const char* near = cd_nearest(name, name_at, names);
    const int   at   = near ? line(r->d, cd_names_find(names, near)) : 0;
    if (!near)
        snprintf(r->why, r->size, "there is no %s '%.60s'", kind, name);
    else if (at > 0)
        snprintf(r->why, r->size, "there is no %s '%.60s' (did you mean '%.60s', line %d?)", kind, name, near, at);
    else
        snprintf(r->why, r->size, "there is no %s '%.60s' (did you mean '%.60s'?)", kind, name, near);
    return -1;
}

static int line_of_joint(const cardan_description* d, int i) { return d->joint[i].place.line; }
static int line_of_marker(const cardan_description* d, int i) { return d->marker[i].place.line; }

static int find_joint(const reading* r, const char* name)
{
    return find_part(r, r->d->joint_names, "joint", name, line_of_joint);
}

static int find_marker(const reading* r, const char* name)
{
    return find_part(r, r->d->marker_names, "marker or body", name, line_of_marker);
}

// The marker that stands at the world's origin is the world.
static int or_world(const cardan_description* d, int marker)
{
    return marker == cd_names_find(d->marker_names, "ground") ? CARDAN_NONE : marker;
}

static const cd_scope number_scope = {
    .name = name_node, .candidate = candidate, .table = table_index, .explain = explain};

// How many coordinates or speeds the joint has; the most there can be where its type is not known (yet).
static int count_components(const cardan_joint* joint, bool position)
{
    const cd_joint_type* type = joint->type ? cd_joint_type_find(joint->type) : NULL;
    cd_step              step[CARDAN_JOINT_MAX];
    if (!type || joint->nstep > CARDAN_JOINT_MAX) return position ? CARDAN_JOINT_MAX + 1 : CARDAN_JOINT_MAX;
    int       count = 0;
    const int n     = type->steps(joint, step);
    for (int i = 0; i < n; ++i) count += position ? cd_motion_nq(step[i].motion) : cd_motion_nv(step[i].motion);
    return count;
}

// Which coordinate of a joint, counted from 1 in the formula and from 0 in the signal. False and a sentence if none.
static bool find_component(const reading* r, const char* call, const char* text, const cardan_joint* joint, int most,
                           int* component)
{
    reading        inner = {.d = r->d, .number = true};
    cd_scope       scope = number_scope;
    cd_parse_error error;
    double         value;
    scope.user         = &inner;
    const cd_node node = cd_parse(r->d->graph, text, &scope, &error);
    if (node < 0) {
        snprintf(r->why, r->size, "the index '%.60s' of %s: %.200s", text, call, error.text);
        return false;
    }
    *component = 0;
    if (cd_node_is_constant(r->d->graph, node, &value) && value == floor(value) && value >= 1 && value <= most) {
        *component = (int)value - 1;
        return true;
    }
    char range[60] = "must be 1";
    if (most > 1) snprintf(range, sizeof range, "must be a whole number from 1 to %d", most);
    snprintf(r->why, r->size, "the index '%.60s' of %s %s: joint %.60s is %.60s", text, call, range, joint->name,
             joint->type ? joint->type : "of no type");
    return false;
}

static bool of_joint(const reading* r, call_row call, int count, const char* const* argument, cardan_signal* signal)
{
    signal->a = find_joint(r, argument[0]);
    if (signal->a < 0) return false;
    const cardan_joint* joint = &r->d->joint[signal->a];
    const int           most  = count_components(joint, signal->kind == CARDAN_SIGNAL_COORDINATE);
    if (most == 0) snprintf(r->why, r->size, "joint '%.60s' is %.60s: it has no coordinates", joint->name, joint->type);
    if (most == 0) return false;
    return count == 1 || find_component(r, call->name, argument[1], joint, most, &signal->component);
}

static bool of_marker(const reading* r, int count, const char* const* argument, cardan_signal* signal)
{
    signal->a = find_marker(r, argument[0]);
    if (signal->a < 0) return false;
    if (count == 1) return true;
    signal->b = find_marker(r, argument[1]);
    if (signal->b < 0) return false;
    if (signal->a == signal->b) {
        snprintf(r->why, r->size, "both markers are '%.60s'", argument[1]);
        return false;
    }
    signal->b = or_world(r->d, signal->b);
    return true;
}

// Distances and their rates are the same both ways: one signal, the world second.
static bool of_two_markers(const reading* r, int count, const char* const* argument, cardan_signal* signal)
{
    if (!of_marker(r, 2, argument, signal)) return false;
    if (signal->kind == CARDAN_SIGNAL_ANGLE) {
        const char* axis = count == 3 ? argument[2] : "z";
        if (strlen(axis) == 1 && *axis >= 'x' && *axis <= 'z') {
            signal->component = *axis - 'x';
            return true;
        }
        snprintf(r->why, r->size, "the axis '%.60s' of angle is not x, y or z", axis);
        return false;
    }
    const bool world = signal->b >= 0 && or_world(r->d, signal->a) < 0;
    if (world || (signal->b >= 0 && signal->b < signal->a)) {
        const int first = signal->a;
        signal->a       = signal->b;
        signal->b       = world ? CARDAN_NONE : first;
    }
    return true;
}

static cd_node call_node(void* user, const char* name, int count, const char* const* argument, char* why, size_t size)
{
    reading* r          = user;
    r->why              = why;
    r->size             = size;
    const call_row call = cd_signal_call_find(name, r->task);
    if (!call) return CD_NO_NODE;
    if (count < call->least || count > call->most) {
        const bool range = call->most > call->least;
        char       takes[40];
        if (range)
            snprintf(takes, sizeof takes, "%d or %d", call->least, call->most);
        else
            snprintf(takes, sizeof takes, "%d", call->least);
        snprintf(why, size, "%s takes %s arguments, not %d: %s", name, takes, count, call->signature);
        return CD_NO_NODE;
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
    }
    if (!ok) return CD_NO_NODE;
    return built(r, cd_signal_node(r->d, signal));
}

// A sentence at its place in the file; without a file, at its place in the formula.
static cardan_status refuse(const char* formula, cardan_place place, const cd_parse_error* error, cardan_report* report)
{
    int characters = 0;
    for (int i = 0; i < error->column && formula[i]; ++i) characters += ((unsigned char)formula[i] & 0xc0) != 0x80;
    if (place.line <= 0)
        return cardan_fail(report, error->status, CARDAN_CODE_EXPRESSION_INVALID, place,
                           "formula '%.100s', column %d: %s", formula, characters + 1, error->text);
    if (place.column > 0) place.column += characters;
    return cardan_fail(report, error->status, CARDAN_CODE_EXPRESSION_INVALID, place, "%s", error->text);
}

// Parse, and refuse what needs no input and still has no value.
static cardan_status read(cardan_description* d, bool number, bool task, const char* formula, cardan_place place,
                          cd_node* node, cardan_report* report)
{
    reading        r     = {.d = d, .number = number, .task = task};
    cd_scope       scope = number_scope;
    cd_parse_error error;
    double         value;
    scope.user = &r;
    if (!number) scope.call = call_node;
    *node = cd_parse(d->graph, formula, &scope, &error);
    if (r.no_memory) *node = CD_NO_NODE, error = (cd_parse_error){CARDAN_NO_MEMORY, 0, "out of memory"};
    if (*node < 0) return refuse(formula, place, &error, report);
    if (cd_node_is_constant(d->graph, *node, &value) && isfinite(value)) return CARDAN_OK;

    const cardan_status status = cd_node_evaluate(d->graph, *node, NULL, &value);
    if (status == CARDAN_NO_MEMORY)
        error = (cd_parse_error){CARDAN_NO_MEMORY, 0, "out of memory"};
    else if (status == CARDAN_OK && !isfinite(value))
        error = (cd_parse_error){CARDAN_BAD_INPUT, 0, "the formula has no finite value"};
    else
        return CARDAN_OK;
    return refuse(formula, place, &error, report);
}

cardan_status cardan_parse(cardan_description* d, const char* formula, cardan_place place,
                           cardan_expression* expression, cardan_report* report)
{
    CD_REFUSE_NULL(expression, "expression", report);
    *expression = CARDAN_NONE;
    CD_REFUSE_NULL(d, "description", report);
    CD_REFUSE_NULL(formula, "formula", report);
    cd_node             node;
    const cardan_status status = read(d, false, false, formula, place, &node, report);
    *expression                = status == CARDAN_OK ? node : CARDAN_NONE;
    return status;
}

cardan_status cd_parse_in_task(cardan_description* d, const char* formula, cardan_place place,
                               cardan_expression* expression, cardan_report* report)
{
    cd_node             node;
    const cardan_status status = read(d, false, true, formula, place, &node, report);
    *expression                = status == CARDAN_OK ? node : CARDAN_NONE;
    return status;
}

cardan_status cardan_parse_number(cardan_description* d, const char* formula, cardan_place place, double* value,
                                  cardan_report* report)
{
    CD_REFUSE_NULL(d, "description", report);
    CD_REFUSE_NULL(formula, "formula", report);
    CD_REFUSE_NULL(value, "value", report);
    cd_node             node;
    const cardan_status status = read(d, true, false, formula, place, &node, report);
    if (status != CARDAN_OK) return status;
    return cd_node_evaluate(d->graph, node, NULL, value);
}
