// SPDX-License-Identifier: BSD-3-Clause
// Controls and cost of a task.
#include "optimize/task/read_task.h"

#include "core/memory.h"
#include "model/description.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

// ---- controls

static bool add_control(cd_task_reader* r, const cd_yaml* key, int v, const cd_yaml* bounds)
{
    cardan_task* t = r->task;
    cd_control   c = {.velocity_index = v,
                      .lower          = -INFINITY,
                      .upper          = INFINITY,
                      .guess          = NAN,
                      .location       = {t->location.file, key->line, key->column}};
    if (bounds && !cd_task_read_range(r, bounds, &c.lower, &c.upper)) return false;
    for (int i = 0; i < t->ncontrol; ++i)
        if (t->control[i].velocity_index == v)
            return cd_task_fail(r, key, "joint '%s' is among the controls twice", key->text);
    if (!cd_array_grow((void**)&t->control, &t->control_capacity, t->ncontrol, sizeof c))
        return r->failed = true, false;
    t->control[t->ncontrol++] = c;
    return true;
}

// Find an actuator of the model by name; it gives the joint, and the bounds if the task has none.
static int find_actuator(const cardan_task* t, const char* name)
{
    for (int i = 0; i < t->model->view.nforce; ++i)
        if (strcmp(t->model->view.force[i].name, name) == 0 && strcmp(t->model->view.force[i].type, "actuator") == 0)
            return i;
    return CARDAN_NONE;
}

int cd_task_find_driven_joint(const cardan_task* t, const char* name)
{
    const int actuator = find_actuator(t, name);
    if (actuator >= 0) return t->model->view.force[actuator].joint;
    for (int j = 0; j < t->model->njoint; ++j)
        if (strcmp(cardan_model_joint_name(t->model, j), name) == 0) return j;
    return CARDAN_NONE;
}

void cd_task_clear_actuator_formulas(cd_task_reader* r, const cd_yaml* node)
{
    cardan_description* d   = r->task->description;
    const bool          map = node->kind == CD_YAML_MAP;
    for (int e = 0; (map || node->kind == CD_YAML_LIST) && e < node->count; ++e) {
        const cd_yaml* key = map ? node->entry[e].key : node->entry[e].value;
        for (int i = 0; key->kind == CD_YAML_SCALAR && i < d->nforce; ++i)
            if (strcmp(d->force[i].type, "actuator") == 0 && strcmp(d->force[i].name, key->text) == 0)
                d->force[i].component[0] = cd_constant(d->graph, 0);
    }
}

static bool read_control(cd_task_reader* r, const cd_yaml* key, const cd_yaml* value)
{
    cardan_task* t = r->task;
    char         buffer[96];
    bool         good = true;
    if (key->kind != CD_YAML_SCALAR)
        return cd_task_fail(r, key, "expected the name of a joint or actuator, not %s",
                            cd_yaml_describe(key, buffer, sizeof buffer));
    if (value && value->kind != CD_YAML_NULL) good = cd_task_check_keys(r, value, "control", NULL);
    const cd_yaml* bounds   = value && value->kind == CD_YAML_MAP ? cd_yaml_get(value, "bounds") : NULL;
    const int      actuator = find_actuator(t, key->text);
    if (actuator >= 0) {
        const cardan_force* f = &t->model->view.force[actuator];
        if (t->model->tree_range[f->joint].v < 0)
            return cd_task_fail(r, key,
                                "actuator '%s' drives joint '%s', which closes a loop and has no coordinates in the "
                                "spanning tree; drive another joint of the loop",
                                key->text, cardan_model_joint_name(t->model, f->joint));
        if (!add_control(r, key, t->model->tree_range[f->joint].v + f->axis, bounds)) return false;
        if (!bounds) t->control[t->ncontrol - 1].lower = f->lower, t->control[t->ncontrol - 1].upper = f->upper;
        return good;
    }
    const cardan_index_range* range = cd_task_read_joint(r, key);
    for (int i = 0; range && i < range->nv; ++i)
        if (!add_control(r, key, range->v + i, bounds)) return false;
    return range && good;
}

bool cd_task_read_controls(cd_task_reader* r, const cd_yaml* node)
{
    const bool map = node->kind == CD_YAML_MAP;
    char       buffer[96];
    bool       good = true;
    if (!map && node->kind != CD_YAML_LIST)
        return cd_task_fail(r, node,
                            "controls is a map of joints or actuators, {shoulder: {bounds: [-20, 20]}}, or a list of "
                            "their names, not %s",
                            cd_yaml_describe(node, buffer, sizeof buffer));
    for (int e = 0; e < node->count; ++e)
        good =
            read_control(r, map ? node->entry[e].key : node->entry[e].value, map ? node->entry[e].value : NULL) && good;
    return good && (r->task->ncontrol > 0 ||
                    cd_task_fail(r, node, "the task has no controls; name the joints that are driven"));
}

// ---- cost

// Weight to be read: of rates or of efforts; the same for all controls or per joint.
typedef struct weight_target {
    bool rate, all;
} weight_target;

static bool set_weight(cd_task_reader* r, const cd_yaml* at, int v, double weight, double same, void* user)
{
    const weight_target* w = user;
    (void)same;
    if (weight < 0) return cd_task_fail(r, at, "a weight must not be negative");
    for (int i = 0; i < r->task->ncontrol; ++i)
        if (r->task->control[i].velocity_index == v)
            return *(w->rate ? &r->task->control[i].rate_weight : &r->task->control[i].effort_weight) = weight, true;
    return w->all || r->controls_invalid || cd_task_fail(r, at, "this joint is not among the controls");
}

static bool read_weights(cd_task_reader* r, const cd_yaml* node, bool rate)
{
    return !node || cd_task_read_per_joint(r, node, set_weight, &(weight_target){rate, node->kind != CD_YAML_MAP});
}

// Warn of a cost that is the same for all motions: then any motion that satisfies the conditions is optimal.
static void warn_constant_cost(cd_task_reader* r, const cd_yaml* node, const cd_yaml* time)
{
    const cardan_task* t     = r->task;
    const bool         fixed = t->horizon_lower == t->horizon_upper;
    bool any = t->cost_integral != CARDAN_NONE || t->cost_final != CARDAN_NONE || (t->cost_time != 0 && !fixed);
    for (int i = 0; i < t->ncontrol; ++i)
        any = any || t->control[i].effort_weight != 0 || t->control[i].rate_weight != 0;
    if (!any)
        cardan_warn(r->report, CARDAN_CODE_COST_CONSTANT, cd_yaml_location(node),
                    "the cost is the same for all motions, so any motion that satisfies the conditions is optimal; add "
                    "`effort: 1`, or `time: 1` with a free horizon");
    else if (time && fixed)
        cardan_warn(r->report, CARDAN_CODE_COST_CONSTANT, cd_yaml_location(time),
                    "the horizon is fixed, so `time` adds a constant to the cost; make it free by `horizon: [shortest, "
                    "longest]`");
}

bool cd_task_read_cost(cd_task_reader* r, const cd_yaml* node)
{
    cardan_task* t    = r->task;
    bool         good = cd_task_check_keys(r, node, "cost", NULL);
    if (node->kind != CD_YAML_MAP) return false;
    const cd_yaml *time = cd_yaml_get(node, "time"), *integral = cd_yaml_get(node, "integral"),
                  *final = cd_yaml_get(node, "final"), *tracking = cd_yaml_get(node, "tracking");
    good = read_weights(r, cd_yaml_get(node, "effort"), false) && good;
    good = read_weights(r, cd_yaml_get(node, "rate"), true) && good;
    good = (!time || cd_task_read_number(r, time, &t->cost_time)) && good;
    good = (!integral || cd_task_read_formula(r, integral, &t->cost_integral)) && good;
    good = (!tracking || cd_task_read_tracking(r, tracking)) && good;
    good = (!final || cd_task_read_formula(r, final, &t->cost_final)) && good;
    for (int i = 0; i < 2; ++i) {
        const cd_yaml* at = i == 1 ? final : integral ? integral : tracking;
        if (at)
            *(i == 1 ? &t->final_location : &t->integral_location) =
                (cardan_location){t->location.file, at->line, at->column};
    }
    if (good && !r->failed) warn_constant_cost(r, node, time);
    return good;
}
