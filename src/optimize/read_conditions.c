// SPDX-License-Identifier: BSD-3-Clause
// Sections of a task that speak of joints and markers: controls, conditions at the ends and on the way, cost, guess.
#include "optimize/read_task.h"

#include "core/memory.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool cd_condition_add(cd_task_reader* r, cd_conditions* list, cd_condition condition)
{
    if (!cd_grow((void**)&list->list, &list->capacity, list->count, sizeof *list->list)) return r->failed = true, false;
    list->list[list->count++] = condition;
    return true;
}

// ---- values of joints

typedef bool take_value(cd_task_reader* r, const cd_yaml* at, int v, double lower, double upper, void* user);

// {joint: value, ...}, a value or range per coordinate; or one value for all.
static bool each_joint(cd_task_reader* r, const cd_yaml* node, take_value* take, void* user)
{
    double lower, upper;
    if (node->kind != CD_YAML_MAP) {
        if (!cd_task_range(r, node, &lower, &upper)) return false;
        for (int i = 0; i < r->task->model->nv; ++i)
            if (!take(r, node, i, lower, upper, user)) return false;
        return true;
    }
    for (int e = 0; e < node->count; ++e) {
        const cd_yaml*     value = node->entry[e].value;
        const cardan_slot* slot  = cd_task_joint(r, node->entry[e].key);
        if (!slot) return false;
        if (slot->nv > 1 && (value->kind != CD_YAML_LIST || value->count != slot->nv))
            return cd_task_fail(r, value, "joint '%s' has %d coordinates: a list of so many values or ranges", node->entry[e].key->text, slot->nv);
        for (int i = 0; i < slot->nv; ++i) {
            const cd_yaml* one = slot->nv > 1 ? value->entry[i].value : value;
            if (!cd_task_range(r, one, &lower, &upper) || !take(r, one, slot->v + i, lower, upper, user)) return false;
        }
    }
    return true;
}

typedef struct conditions_of {
    cd_conditions*  list;
    cd_condition_on on;
} conditions_of;

static bool take_condition(cd_task_reader* r, const cd_yaml* at, int v, double lower, double upper, void* user)
{
    const conditions_of* c = user;
    return cd_condition_add(r, c->list, (cd_condition){c->on, v, CARDAN_NONE, lower, upper, {r->task->place.file, at->line, at->column}});
}

// {marker: [x, y, z]}: positions in the world; a component may be a range, or `free`.
static bool read_markers(cd_task_reader* r, const cd_yaml* node, cd_conditions* list)
{
    if (node->kind != CD_YAML_MAP) return cd_task_fail(r, node, "markers is a map of markers to places [x, y, z]");
    for (int e = 0; e < node->count; ++e) {
        const cd_yaml *key = node->entry[e].key, *value = node->entry[e].value;
        if (cardan_find_marker(r->task->description, key->text) < 0) return cd_task_fail(r, key, "'%s' has no marker '%s'", r->task->model->view.name, key->text);
        if (value->kind != CD_YAML_LIST || value->count != 3) return cd_task_fail(r, value, "the place of marker '%s' is [x, y, z]", key->text);
        for (int i = 0; i < 3; ++i) {
            char           formula[300];
            const cd_yaml* one = value->entry[i].value;
            cd_condition   c   = {.on = CD_ON_VALUE, .place = {r->task->place.file, one->line, one->column}};
            if (one->kind == CD_YAML_SCALAR && strcmp(one->text, "free") == 0) continue;
            snprintf(formula, sizeof formula, "%c('%s')", "xyz"[i], key->text);
            if (!cd_task_range(r, one, &c.lower, &c.upper)) return false;
            if (cardan_parse(r->task->description, formula, cd_yaml_place(key), &c.value, r->report) != CARDAN_OK) return r->failed = true, false;
            if (!cd_condition_add(r, list, c)) return false;
        }
    }
    return true;
}

// A list of {value: =formula, lower: ..., upper: ..., equal: ...}.
static bool read_values(cd_task_reader* r, const cd_yaml* node, cd_conditions* list)
{
    if (node->kind != CD_YAML_LIST) return cd_task_fail(r, node, "values is a list of {value: =formula, lower: ..., upper: ...}");
    for (int e = 0; e < node->count; ++e) {
        const cd_yaml* one = node->entry[e].value;
        cd_condition   c   = {.on = CD_ON_VALUE, .lower = -INFINITY, .upper = INFINITY, .place = {r->task->place.file, one->line, one->column}};
        if (!cd_task_keys(r, one, "a condition", "value lower upper equal")) return false;
        const cd_yaml *value = cd_yaml_get(one, "value"), *lower = cd_yaml_get(one, "lower"), *upper = cd_yaml_get(one, "upper"), *equal = cd_yaml_get(one, "equal");
        if (!value || (!lower && !upper && !equal)) return cd_task_fail(r, one, "a condition has a value, and lower, upper or equal");
        if (!cd_task_formula(r, value, &c.value)) return false;
        if (lower && !cd_task_number(r, lower, &c.lower)) return false;
        if (upper && !cd_task_number(r, upper, &c.upper)) return false;
        if (equal && (!cd_task_number(r, equal, &c.lower) || !cd_task_number(r, equal, &c.upper))) return false;
        if (c.lower > c.upper) return cd_task_fail(r, one, "the lower bound %g is above the upper one, %g: nothing lies between", c.lower, c.upper);
        if (!cd_condition_add(r, list, c)) return false;
    }
    return true;
}

bool cd_task_conditions(cd_task_reader* r, const cd_yaml* node, const char* what, cd_conditions* list)
{
    if (!cd_task_keys(r, node, what, "q v a markers values")) return false;
    const cd_yaml *q = cd_yaml_get(node, "q"), *v = cd_yaml_get(node, "v"), *a = cd_yaml_get(node, "a"), *markers = cd_yaml_get(node, "markers"),
                  *values = cd_yaml_get(node, "values");
    if (q && !each_joint(r, q, take_condition, &(conditions_of){list, CD_ON_Q})) return false;
    if (markers && !read_markers(r, markers, list)) return false;
    if (v && !each_joint(r, v, take_condition, &(conditions_of){list, CD_ON_V})) return false;
    if (a && !each_joint(r, a, take_condition, &(conditions_of){list, CD_ON_A})) return false;
    return !values || read_values(r, values, list);
}

// ---- on the way

static bool take_q_bound(cd_task_reader* r, const cd_yaml* at, int v, double lower, double upper, void* user)
{
    (void)at, (void)user;
    r->task->q_lower[v] = lower;
    r->task->q_upper[v] = upper;
    return true;
}

static bool take_v_bound(cd_task_reader* r, const cd_yaml* at, int v, double lower, double upper, void* user)
{
    (void)at, (void)user;
    r->task->v_lower[v] = lower;
    r->task->v_upper[v] = upper;
    return true;
}

// Limits of joints hold on the way, unless the task says `limits: false`.
static void take_limits(cardan_task* t)
{
    for (int j = 0; j < t->model->view.njoint; ++j) {
        const cardan_joint* joint = &t->model->view.joint[j];
        for (int i = 0; t->model->slot[j].v >= 0 && i < joint->naxis && i < t->model->slot[j].nv; ++i) {
            t->q_lower[t->model->slot[j].v + i] = joint->axis[i].lower;
            t->q_upper[t->model->slot[j].v + i] = joint->axis[i].upper;
        }
    }
}

bool cd_task_path(cd_task_reader* r, const cd_yaml* node)
{
    if (node && !cd_task_keys(r, node, "path", "limits q v values")) return false;
    const cd_yaml* limits = node ? cd_yaml_get(node, "limits") : NULL;
    const bool     off    = limits && limits->kind == CD_YAML_SCALAR && strcmp(limits->text, "false") == 0;
    if (limits && !off && (limits->kind != CD_YAML_SCALAR || strcmp(limits->text, "true") != 0)) return cd_task_fail(r, limits, "limits is true or false");
    if (!off) take_limits(r->task);
    const cd_yaml *q = node ? cd_yaml_get(node, "q") : NULL, *v = node ? cd_yaml_get(node, "v") : NULL, *values = node ? cd_yaml_get(node, "values") : NULL;
    if (q && !each_joint(r, q, take_q_bound, NULL)) return false;
    if (v && !each_joint(r, v, take_v_bound, NULL)) return false;
    return !values || read_values(r, values, &r->task->path);
}

// ---- controls

static bool add_control(cd_task_reader* r, const cd_yaml* key, int v, const cd_yaml* bounds)
{
    cardan_task* t = r->task;
    cd_control   c = {.v = v, .lower = -INFINITY, .upper = INFINITY, .place = {t->place.file, key->line, key->column}};
    if (bounds && !cd_task_range(r, bounds, &c.lower, &c.upper)) return false;
    for (int i = 0; i < t->ncontrol; ++i)
        if (t->control[i].v == v) return cd_task_fail(r, key, "joint '%s' is driven twice", key->text);
    if (!cd_grow((void**)&t->control, &t->ccontrol, t->ncontrol, sizeof c)) return r->failed = true, false;
    t->control[t->ncontrol++] = c;
    return true;
}

// An actuator of the model by its name: its joint, and its bounds where the task has none.
static int actuator_named(const cardan_task* t, const char* name)
{
    for (int i = 0; i < t->model->view.nforce; ++i)
        if (strcmp(t->model->view.force[i].name, name) == 0 && strcmp(t->model->view.force[i].type, "actuator") == 0) return i;
    return CARDAN_NONE;
}

bool cd_task_controls(cd_task_reader* r, const cd_yaml* node)
{
    cardan_task* t = r->task;
    char         buffer[96];
    if (node->kind != CD_YAML_MAP && node->kind != CD_YAML_LIST)
        return cd_task_fail(r, node, "controls is a map of joints or actuators, {shoulder: {bounds: [-20, 20]}}, or a list of their names, not %s",
                            cd_yaml_describe(node, buffer, sizeof buffer));
    for (int e = 0; e < node->count; ++e) {
        const bool     map = node->kind == CD_YAML_MAP;
        const cd_yaml *key = map ? node->entry[e].key : node->entry[e].value, *value = map ? node->entry[e].value : NULL;
        if (key->kind != CD_YAML_SCALAR) return cd_task_fail(r, key, "expected the name of a joint or actuator, not %s", cd_yaml_describe(key, buffer, sizeof buffer));
        if (value && value->kind != CD_YAML_NOTHING && !cd_task_keys(r, value, "a control", "bounds")) return false;
        const cd_yaml* bounds   = value && value->kind == CD_YAML_MAP ? cd_yaml_get(value, "bounds") : NULL;
        const int      actuator = actuator_named(t, key->text);
        if (actuator >= 0) {
            const cardan_force* f = &t->model->view.force[actuator];
            if (!add_control(r, key, t->model->slot[f->joint].v + f->axis, bounds)) return false;
            if (!bounds) t->control[t->ncontrol - 1].lower = f->lower, t->control[t->ncontrol - 1].upper = f->upper;
            continue;
        }
        const cardan_slot* slot = cd_task_joint(r, key);
        for (int i = 0; slot && i < slot->nv; ++i)
            if (!add_control(r, key, slot->v + i, bounds)) return false;
        if (!slot) return false;
    }
    return t->ncontrol > 0 || cd_task_fail(r, node, "the task has no controls: name the joints that are driven");
}

// ---- cost and guess

static bool take_effort_weight(cd_task_reader* r, const cd_yaml* at, int v, double weight, double same, void* user)
{
    const bool all = user && *(const bool*)user;
    (void)same;
    if (weight < 0) return cd_task_fail(r, at, "a weight is not negative");
    for (int i = 0; i < r->task->ncontrol; ++i)
        if (r->task->control[i].v == v) return r->task->control[i].effort = weight, true;
    return all || cd_task_fail(r, at, "this joint is not among the controls");
}

static bool take_rate_weight(cd_task_reader* r, const cd_yaml* at, int v, double weight, double same, void* user)
{
    const bool all = user && *(const bool*)user;
    (void)same;
    if (weight < 0) return cd_task_fail(r, at, "a weight is not negative");
    for (int i = 0; i < r->task->ncontrol; ++i)
        if (r->task->control[i].v == v) return r->task->control[i].rate = weight, true;
    return all || cd_task_fail(r, at, "this joint is not among the controls");
}

bool cd_task_cost(cd_task_reader* r, const cd_yaml* node)
{
    cardan_task* t = r->task;
    if (!cd_task_keys(r, node, "cost", "effort rate time integral final")) return false;
    const cd_yaml *effort = cd_yaml_get(node, "effort"), *rate = cd_yaml_get(node, "rate"), *time = cd_yaml_get(node, "time"), *integral = cd_yaml_get(node, "integral"),
                  *final = cd_yaml_get(node, "final");
    bool all = effort && effort->kind != CD_YAML_MAP;
    if (effort && !each_joint(r, effort, take_effort_weight, &all)) return false;
    all = rate && rate->kind != CD_YAML_MAP;
    if (rate && !each_joint(r, rate, take_rate_weight, &all)) return false;
    if (time && !cd_task_number(r, time, &t->cost_time)) return false;
    if (integral && !cd_task_formula(r, integral, &t->cost_integral)) return false;
    return !final || cd_task_formula(r, final, &t->cost_final);
}

static bool take_guess(cd_task_reader* r, const cd_yaml* at, int v, double lower, double upper, void* user)
{
    (void)at, (void)user;
    r->task->q_guess[v] = (lower + upper) / 2;
    return true;
}

// Straight lines end where the end conditions say, or where the guess says.
bool cd_task_guess(cd_task_reader* r, const cd_yaml* node)
{
    cardan_task* t = r->task;
    for (int c = 0; c < t->end.count; ++c) {
        const cd_condition* at = &t->end.list[c];
        if (at->on == CD_ON_Q) t->q_guess[at->index] = fmin(fmax(t->q_guess[at->index], at->lower), at->upper);
    }
    if (!node) return true;
    if (!cd_task_keys(r, node, "guess", "q")) return false;
    const cd_yaml* q = cd_yaml_get(node, "q");
    return !q || each_joint(r, q, take_guess, NULL);
}
