// SPDX-License-Identifier: BSD-3-Clause
// Conditions of a task on joints, markers and formulas, at the start, at the end and on the path.
#include "optimize/task/read_task.h"

#include "core/memory.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool cd_conditions_add(cd_task_reader* r, cd_conditions* list, cd_condition condition)
{
    if (!cd_array_grow((void**)&list->list, &list->capacity, list->count, sizeof *list->list))
        return r->failed = true, false;
    list->list[list->count++] = condition;
    return true;
}

// ---- values of joint coordinates

bool cd_task_read_per_joint(cd_task_reader* r, const cd_yaml* node, cd_value_handler* handler, void* user)
{
    double lower, upper;
    bool   good = true;
    if (node->kind != CD_YAML_MAP) {
        if (!cd_task_read_range(r, node, &lower, &upper)) return false;
        for (int i = 0; i < r->task->model->nv; ++i)
            if (!handler(r, node, i, lower, upper, user)) return false;
        return true;
    }
    for (int e = 0; e < node->count; ++e) {
        const cd_yaml*            value = node->entry[e].value;
        const cardan_index_range* range = cd_task_read_joint(r, node->entry[e].key);
        if (range && range->nv > 1 && (value->kind != CD_YAML_LIST || value->count != range->nv)) {
            good = cd_task_fail(r, value, "joint '%s' has %d coordinates; give a list of as many values or ranges",
                                node->entry[e].key->text, range->nv);
            continue;
        }
        good = good && range;
        for (int i = 0; range && i < range->nv; ++i) {
            const cd_yaml* one = range->nv > 1 ? value->entry[i].value : value;
            good =
                cd_task_read_range(r, one, &lower, &upper) && handler(r, one, range->v + i, lower, upper, user) && good;
        }
    }
    return good;
}

typedef struct condition_target {
    cd_conditions*    list;
    cd_condition_kind on;
} condition_target;

static bool add_condition(cd_task_reader* r, const cd_yaml* at, int v, double lower, double upper, void* user)
{
    const condition_target* c = user;
    return cd_conditions_add(
        r, c->list,
        (cd_condition){c->on, v, CARDAN_NONE, lower, upper, {r->task->location.file, at->line, at->column}});
}

static const char* marker_at(void* user, int i)
{
    const cardan_description_view* view = user;
    return i < view->nmarker                 ? view->marker[i].name
           : i - view->nmarker < view->nbody ? view->body[i - view->nmarker].name
                                             : NULL;
}

static bool check_marker_name(cd_task_reader* r, const cd_yaml* key)
{
    cardan_description_view view = cardan_description_get_view(r->task->description);
    if (cardan_description_find_marker(r->task->description, key->text) >= 0) return true;
    const char* suggestion = cd_nearest_name(key->text, marker_at, &view);
    if (suggestion)
        return cd_task_fail(r, key, "there is no marker or body '%s' (did you mean '%s'?)", key->text, suggestion);
    return cd_task_fail(r, key, "'%s' has no marker or body '%s'", view.name, key->text);
}

// Read three components of a vector, given by the functions `call`; a component may be a value, a range or `free`.
static bool read_vector(cd_task_reader* r, const cd_yaml* key, const cd_yaml* value, const char* const call[3],
                        cd_conditions* list)
{
    if (value->kind != CD_YAML_LIST || value->count != 3)
        return cd_task_fail(r, value,
                            "marker '%s': expected [x, y, z], each a value, [lower, upper] or free; or {position: "
                            "[...], velocity: [...]}",
                            key->text);
    bool good = true;
    for (int i = 0; i < 3; ++i) {
        char           formula[300];
        const cd_yaml* one = value->entry[i].value;
        cd_condition   c   = {.kind     = CD_CONDITION_EXPRESSION,
                              .location = {r->task->location.file, one->line, one->column}};
        if (one->kind == CD_YAML_SCALAR && strcmp(one->text, "free") == 0) continue;
        snprintf(formula, sizeof formula, "%s('%.200s')", call[i], key->text);
        if (!cd_task_read_range(r, one, &c.lower, &c.upper))
            good = false;
        else if (cardan_description_parse(r->task->description, formula, cd_yaml_location(key), &c.expression,
                                          r->report) != CARDAN_OK)
            r->failed = true, good = false;
        else
            good = cd_conditions_add(r, list, c) && good;
    }
    return good;
}

// Read {marker: [x, y, z]}, or {marker: {position: [...], velocity: [...], rotation: [...]}}, in world axes.
static bool read_markers(cd_task_reader* r, const cd_yaml* node, cd_conditions* list)
{
    static const char* const keys[]     = {"position", "velocity", "rotation"};
    static const char* const call[3][3] = {{"x", "y", "z"}, {"vx", "vy", "vz"}, {"wx", "wy", "wz"}};
    bool                     good       = true;
    if (node->kind != CD_YAML_MAP) return cd_task_fail(r, node, "markers is a map of markers to positions [x, y, z]");
    for (int e = 0; e < node->count; ++e) {
        const cd_yaml *key = node->entry[e].key, *value = node->entry[e].value;
        if (!check_marker_name(r, key)) {
            good = false;
        } else if (value->kind != CD_YAML_MAP) {
            good = read_vector(r, key, value, call[0], list) && good;
        } else {
            good = cd_task_check_keys(r, value, "marker", NULL) && good;
            for (int k = 0; k < 3; ++k) {
                const cd_yaml* vector = cd_yaml_get(value, keys[k]);
                good                  = (!vector || read_vector(r, key, vector, call[k], list)) && good;
            }
        }
    }
    return good;
}

// Read {value: =formula, lower: ..., upper: ..., equal: ...}.
static bool read_condition(cd_task_reader* r, const cd_yaml* one, cd_conditions* list)
{
    cd_condition c = {.kind     = CD_CONDITION_EXPRESSION,
                      .lower    = -INFINITY,
                      .upper    = INFINITY,
                      .location = {r->task->location.file, one->line, one->column}};
    if (!cd_task_check_keys(r, one, "condition", NULL)) return false;
    const cd_yaml *value = cd_yaml_get(one, "value"), *lower = cd_yaml_get(one, "lower"),
                  *upper = cd_yaml_get(one, "upper"), *equal = cd_yaml_get(one, "equal");
    if (!value || (!lower && !upper && !equal))
        return cd_task_fail(r, one, "a condition needs `value`, and `lower`, `upper` or `equal`");
    if (equal && (lower || upper))
        return cd_task_fail(r, equal, "equal and %s exclude each other; give one of them", lower ? "lower" : "upper");
    bool good = cd_task_read_formula(r, value, &c.expression);
    good      = (!lower || cd_task_read_number(r, lower, &c.lower)) && good;
    good      = (!upper || cd_task_read_number(r, upper, &c.upper)) && good;
    good      = (!equal || cd_task_read_number(r, equal, &c.lower)) && good;
    if (equal) c.upper = c.lower;
    if (good && c.lower > c.upper)
        return cd_task_fail(r, one, "the lower bound %g exceeds the upper bound %g: the range is empty", c.lower,
                            c.upper);
    return good && cd_conditions_add(r, list, c);
}

static bool read_values(cd_task_reader* r, const cd_yaml* node, cd_conditions* list)
{
    bool good = true;
    if (node->kind != CD_YAML_LIST)
        return cd_task_fail(r, node, "values is a list of {value: =formula, lower: ..., upper: ...}");
    for (int e = 0; e < node->count; ++e) good = read_condition(r, node->entry[e].value, list) && good;
    return good;
}

bool cd_task_read_conditions(cd_task_reader* r, const cd_yaml* node, const char* what, cd_conditions* list)
{
    bool good = cd_task_check_keys(r, node, "start", what);
    if (node->kind != CD_YAML_MAP) return false;
    const cd_yaml *q = cd_yaml_get(node, "q"), *v = cd_yaml_get(node, "v"), *a = cd_yaml_get(node, "a"),
                  *markers = cd_yaml_get(node, "markers"), *values = cd_yaml_get(node, "values");
    good = (!q || cd_task_read_per_joint(r, q, add_condition, &(condition_target){list, CD_CONDITION_Q})) && good;
    good = (!markers || read_markers(r, markers, list)) && good;
    good = (!v || cd_task_read_per_joint(r, v, add_condition, &(condition_target){list, CD_CONDITION_V})) && good;
    good = (!a || cd_task_read_per_joint(r, a, add_condition, &(condition_target){list, CD_CONDITION_A})) && good;
    return (!values || read_values(r, values, list)) && good;
}

// ---- path

static bool set_q_bound(cd_task_reader* r, const cd_yaml* at, int v, double lower, double upper, void* user)
{
    const bool all = *(const bool*)user;
    if (cd_coordinate_of_velocity(r->task->model, v) < 0 && (isfinite(lower) || isfinite(upper)))
        return all || cd_task_fail(r, at,
                                   "orientations cannot have path bounds; bound a formula under values, such as z of a "
                                   "marker, or write [-.inf, .inf]");
    r->task->q_lower[v] = lower;
    r->task->q_upper[v] = upper;
    return true;
}

static bool set_v_bound(cd_task_reader* r, const cd_yaml* at, int v, double lower, double upper, void* user)
{
    (void)at, (void)user;
    r->task->v_lower[v] = lower;
    r->task->v_upper[v] = upper;
    return true;
}

// Add the limits of a cut joint as conditions on formulas, because its coordinates are not in the state.
static bool add_cut_joint_limits(cd_task_reader* r, const cardan_joint* joint)
{
    bool good = true;
    for (int i = 0; i < joint->naxis; ++i) {
        cd_condition c = {.kind     = CD_CONDITION_EXPRESSION,
                          .lower    = joint->axis[i].lower,
                          .upper    = joint->axis[i].upper,
                          .location = joint->location};
        char         formula[300];
        if (!isfinite(c.lower) && !isfinite(c.upper)) continue;
        snprintf(formula, sizeof formula, joint->naxis > 1 ? "q('%.200s', %d)" : "q('%.200s')", joint->name, i + 1);
        if (cardan_description_parse(r->task->description, formula, r->task->location, &c.expression, r->report) !=
            CARDAN_OK)
            r->failed = true, good = false;
        else
            good = cd_conditions_add(r, &r->task->path, c) && good;
    }
    return good;
}

// Add the limits of all joints, unless the task has `limits: false`.
static bool add_joint_limits(cd_task_reader* r)
{
    const cardan_task* t    = r->task;
    bool               good = true;
    for (int j = 0; j < t->model->view.njoint; ++j) {
        const cardan_joint* joint = &t->model->view.joint[j];
        if (t->model->joint[j].is_cut) good = add_cut_joint_limits(r, joint) && good;
        for (int i = 0; t->model->tree_range[j].v >= 0 && i < joint->naxis && i < t->model->tree_range[j].nv; ++i) {
            t->q_lower[t->model->tree_range[j].v + i] = joint->axis[i].lower;
            t->q_upper[t->model->tree_range[j].v + i] = joint->axis[i].upper;
        }
    }
    return good;
}

static bool read_limits(cd_task_reader* r, const cd_yaml* limits)
{
    const bool off = limits && limits->kind == CD_YAML_SCALAR && strcmp(limits->text, "false") == 0;
    if (!off && !add_joint_limits(r)) return false;
    if (!limits || off || (limits->kind == CD_YAML_SCALAR && strcmp(limits->text, "true") == 0)) return true;
    return cd_task_fail(r, limits, "limits must be true or false");
}

bool cd_task_read_path(cd_task_reader* r, const cd_yaml* node)
{
    if (!node) return read_limits(r, NULL);
    bool good = cd_task_check_keys(r, node, "path", NULL);
    if (node->kind != CD_YAML_MAP) return false;
    const cd_yaml *q = cd_yaml_get(node, "q"), *v = cd_yaml_get(node, "v"), *values = cd_yaml_get(node, "values"),
                  *markers = cd_yaml_get(node, "markers");
    good                   = read_limits(r, cd_yaml_get(node, "limits")) && good;
    good                   = (!q || cd_task_read_per_joint(r, q, set_q_bound, &(bool){q->kind != CD_YAML_MAP})) && good;
    good                   = (!v || cd_task_read_per_joint(r, v, set_v_bound, NULL)) && good;
    good                   = (!markers || read_markers(r, markers, &r->task->path)) && good;
    return (!values || read_values(r, values, &r->task->path)) && good;
}
