// SPDX-License-Identifier: BSD-3-Clause
// What is chosen, and what it costs.
#include "optimize/read_task.h"

#include "core/memory.h"
#include "model/description.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

// ---- controls

static bool add_control(cd_task_reader* r, const cd_yaml* key, int v, const cd_yaml* bounds)
{
    cardan_task* t = r->task;
    cd_control   c = {.v = v, .lower = -INFINITY, .upper = INFINITY, .guess = NAN, .place = {t->place.file, key->line, key->column}};
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

void cd_task_put_aside(cd_task_reader* r, const cd_yaml* node)
{
    cardan_description* d    = r->task->description;
    const bool          map  = node->kind == CD_YAML_MAP;
    for (int e = 0; (map || node->kind == CD_YAML_LIST) && e < node->count; ++e) {
        const cd_yaml* key = map ? node->entry[e].key : node->entry[e].value;
        for (int i = 0; key->kind == CD_YAML_SCALAR && i < d->nforce; ++i)
            if (strcmp(d->force[i].type, "actuator") == 0 && strcmp(d->force[i].name, key->text) == 0) d->force[i].component[0] = cd_constant(d->graph, 0);
    }
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
        if (value && value->kind != CD_YAML_NOTHING && !cd_task_keys(r, value, "a control", "control")) return false;
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

// ---- cost

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
    if (!cd_task_keys(r, node, "cost", "cost")) return false;
    const cd_yaml *effort = cd_yaml_get(node, "effort"), *rate = cd_yaml_get(node, "rate"), *time = cd_yaml_get(node, "time"), *integral = cd_yaml_get(node, "integral"),
                  *final = cd_yaml_get(node, "final"), *tracking = cd_yaml_get(node, "tracking");
    bool all = effort && effort->kind != CD_YAML_MAP;
    if (effort && !cd_task_each_joint(r, effort, take_effort_weight, &all)) return false;
    all = rate && rate->kind != CD_YAML_MAP;
    if (rate && !cd_task_each_joint(r, rate, take_rate_weight, &all)) return false;
    if (time && !cd_task_number(r, time, &t->cost_time)) return false;
    if (integral && !cd_task_formula(r, integral, &t->cost_integral)) return false;
    if (tracking && !cd_task_tracking(r, tracking)) return false;
    return !final || cd_task_formula(r, final, &t->cost_final);
}
