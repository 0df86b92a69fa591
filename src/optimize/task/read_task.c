// SPDX-License-Identifier: BSD-3-Clause
// Task reader: mechanism, horizon, transcription, and the sections in their order.
#include "optimize/task/read_task.h"
#include "io/file_kind.h"

#include "core/memory.h"
#include "dynamics/contacts/rigid_contacts.h"
#include "generate/trace/contact_check.h"
#include "math/pi.h"
#include "model/description.h"
#include "model/model.h"
#include "optimize/optimize_tolerances.h"
#include "optimize/task/option_names.h"
#include "optimize/transcription/transcription_scheme.h"
#include "model/reaction_signals.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool name_allowed(cd_task_reader* r, const cd_yaml* key)
{
    const char* s = key->text;
    if (strcmp(s, "t") == 0)
        return cd_task_fail(r, key, "'t' is the time in formulas; give the parameter another name");
    if (strcmp(s, "pi") == 0)
        return cd_task_fail(r, key, "'pi' is a constant in formulas; give the parameter another name");
    if (isalpha((unsigned char)*s) || *s == '_')
        while (isalnum((unsigned char)*s) || *s == '_' || *s == '.') ++s;
    if (*s || s == key->text)
        return cd_task_fail(r, key, "'%s' cannot be used in formulas: a name is a letter, then letters, digits and _",
                            key->text);
    if (cardan_description_find_parameter(r->task->description, key->text) >= 0)
        return cd_task_fail(r, key, "the model already has a parameter '%s'; set that one instead", key->text);
    return true;
}

// Read a parameter; --set has precedence over the task.
static bool read_parameter(cd_task_reader* r, const cd_yaml* key, const cd_yaml* value)
{
    cardan_parameter p     = {.name = key->text, .location = cd_yaml_location(key)};
    cardan_status    set   = CARDAN_OK;
    bool             given = false;
    if (!name_allowed(r, key)) return false;
    for (int s = 0; s < r->options->nsetting; ++s) {
        if (strcmp(r->options->setting[s].name, key->text) != 0) continue;
        set   = cardan_description_parse_number(r->task->description, r->options->setting[s].value,
                                                cardan_location_none(), &p.value, r->report);
        given = true;
    }
    if (set != CARDAN_OK) return r->failed = true, false;
    if (!given && !cd_task_read_number(r, value, &p.value)) p.value = 1, r->failed = true; // formulas may use it
    if (cardan_description_add_parameter(r->task->description, &p) >= 0) return true;
    cardan_fail(r->report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, p.location, "out of memory");
    r->failed = r->no_memory = true;
    return false;
}

static bool read_parameters(cd_task_reader* r, const cd_yaml* node)
{
    char buffer[96];
    bool good = true;
    if (!node) return true;
    if (node->kind != CD_YAML_MAP)
        return cd_task_fail(r, node, "parameters is a map of names to numbers, not %s",
                            cd_yaml_describe(node, buffer, sizeof buffer));
    for (int i = 0; i < node->count; ++i) good = read_parameter(r, node->entry[i].key, node->entry[i].value) && good;
    return good;
}

// Read a number, [shortest, longest], or [shortest, longest, guess].
static bool read_horizon(cd_task_reader* r, const cd_yaml* root, const cd_yaml* node)
{
    cardan_task* t = r->task;
    if (!node) return cd_task_fail(r, root, "the task has no horizon, for example `horizon: 2` [s]");
    const bool list = node->kind == CD_YAML_LIST;
    if (list && node->count != 2 && node->count != 3)
        return cd_task_fail(r, node, "a free horizon is [shortest, longest] or [shortest, longest, guess]");
    bool ok          = cd_task_read_number(r, list ? node->entry[0].value : node, &t->horizon_lower);
    t->horizon_upper = t->horizon = t->horizon_lower;
    if (ok && list) {
        ok         = cd_task_read_number(r, node->entry[1].value, &t->horizon_upper);
        t->horizon = (t->horizon_lower + t->horizon_upper) / 2;
        if (ok && node->count == 3) ok = cd_task_read_number(r, node->entry[2].value, &t->horizon);
    }
    if (!ok) return false;
    if (!(t->horizon_lower > 0) || !isfinite(t->horizon_upper))
        return cd_task_fail(r, node, "the horizon is %g s; it must be positive and finite",
                            t->horizon_lower > 0 ? t->horizon_upper : t->horizon_lower);
    if (t->horizon_lower > t->horizon_upper)
        return cd_task_fail(r, node, "the shortest horizon, %g s, is longer than the longest, %g s", t->horizon_lower,
                            t->horizon_upper);
    return (t->horizon >= t->horizon_lower && t->horizon <= t->horizon_upper) ||
           cd_task_fail(r, node, "the guess of the horizon, %g s, is outside its bounds", t->horizon);
}

static bool check_model(cd_task_reader* r, const cd_yaml* at)
{
    const cardan_model* m = r->task->model;
    return m->nv > 0 || cd_task_fail(r, at, "'%s' has no degrees of freedom", m->view.name);
}

static const char* key_of(void* user, int i)
{
    const cd_yaml* map = user;
    return i < map->count ? map->entry[i].key->text : NULL;
}

// Load the model; settings that are not parameters of the task are passed to it.
static bool load_model(cd_task_reader* r, const cd_yaml* root, const cd_yaml* node)
{
    char           buffer[96];
    const cd_yaml* parameters = cd_yaml_get(root, "parameters");
    if (!node) return cd_task_fail(r, root, "the task has no model, for example `model: arm.yaml`");
    if (node->kind != CD_YAML_SCALAR)
        return cd_task_fail(r, node, "model must be the path of a model, not %s",
                            cd_yaml_describe(node, buffer, sizeof buffer));
    cardan_load_options       options = *r->options;
    cardan_parameter_setting* setting = cd_pool_alloc(&r->pool, (size_t)options.nsetting + 1, sizeof *setting);
    r->task->model_path               = cd_task_resolve_path(r, node);
    cardan_status status              = setting && r->task->model_path ? CARDAN_OK : CARDAN_NO_MEMORY;
    if (status == CARDAN_OK) {
        options.nsetting = 0;
        for (int i = 0; i < r->options->nsetting; ++i)
            if (!parameters || parameters->kind != CD_YAML_MAP || !cd_yaml_get(parameters, r->options->setting[i].name))
                setting[options.nsetting++] = r->options->setting[i];
        options.setting = setting;
        status          = cardan_description_load(r->task->model_path, &options, &r->task->description, r->report);
    }
    for (int i = 0; status != CARDAN_OK && parameters && parameters->kind == CD_YAML_MAP && i < options.nsetting; ++i) {
        const char* suggestion = cd_nearest_name(setting[i].name, key_of, (void*)parameters);
        if (suggestion)
            cardan_note(r->report, CARDAN_CODE_TASK_NOTE, cd_yaml_location(parameters), "the task has a parameter '%s'",
                        suggestion);
    }
    if (status == CARDAN_FILE_ERROR)
        cardan_note(r->report, CARDAN_CODE_TASK_NOTE, cd_yaml_location(node),
                    "the key `model` of the task names this path");
    r->failed = r->failed || status != CARDAN_OK;
    return status == CARDAN_OK;
}

static bool make_arrays(cardan_task* t)
{
    const size_t n = (size_t)t->model->nv;
    double** all[] = {&t->q_lower, &t->q_upper, &t->v_lower, &t->v_upper, &t->q_guess_end, &t->q_start, &t->v_start};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        if (!(*all[i] = cd_allocate(n + 1, sizeof(double)))) return false;
    for (size_t i = 0; i < n; ++i) {
        t->q_lower[i] = t->v_lower[i] = -INFINITY;
        t->q_upper[i] = t->v_upper[i] = INFINITY;
        const int q                   = cd_coordinate_of_velocity(t->model, (int)i);
        t->q_start[i]                 = q >= 0 ? t->model->q_start[q] : 0;
        t->v_start[i]                 = t->model->v_start[i];
    }
    return true;
}

// Read the start. Coordinates without a condition start as in the model; those of the end remain free.
static bool read_start(cd_task_reader* r, const cd_yaml* node)
{
    cardan_task* t          = r->task;
    const bool   good       = !node || cd_task_read_conditions(r, node, "start", &t->start);
    const int    nspecified = t->start.count;
    for (int on = CD_CONDITION_Q; on <= CD_CONDITION_V; ++on)
        for (int i = 0; i < t->model->nv; ++i) {
            bool given = false;
            for (int c = 0; c < nspecified; ++c)
                given = given || ((int)t->start.list[c].kind == on && t->start.list[c].velocity_index == i);
            const double value = on == CD_CONDITION_Q ? t->q_start[i] : t->v_start[i];
            if (!given &&
                !cd_conditions_add(r, &t->start,
                                   (cd_condition){(cd_condition_kind)on, i, CARDAN_NONE, value, value, t->location}))
                return false;
        }
    for (int c = 0; c < nspecified; ++c) {
        const cd_condition* at = &t->start.list[c];
        if (at->kind == CD_CONDITION_Q)
            t->q_start[at->velocity_index] = fmin(fmax(t->q_start[at->velocity_index], at->lower), at->upper);
    }
    for (int i = 0; i < t->model->nv; ++i) t->q_guess_end[i] = t->q_start[i];
    return good;
}

// Report conditions at start or end outside the bounds of the path; the solver would only report infeasibility.
static bool check_bounds(cd_task_reader* r, const char* when, const cd_conditions* list)
{
    const cardan_task* t    = r->task;
    bool               good = true;
    for (int c = 0; c < list->count; ++c) {
        const cd_condition* at = &list->list[c];
        if (at->kind != CD_CONDITION_Q && at->kind != CD_CONDITION_V) continue;
        const double low = at->kind == CD_CONDITION_Q ? t->q_lower[at->velocity_index] : t->v_lower[at->velocity_index],
                     high =
                         at->kind == CD_CONDITION_Q ? t->q_upper[at->velocity_index] : t->v_upper[at->velocity_index];
        if (at->upper >= low - cd_bound_tolerance && at->lower <= high + cd_bound_tolerance) continue;
        int       local;
        const int j = cardan_model_joint_of_velocity(t->model, at->velocity_index, &local);
        good        = false;
        r->failed   = true;
        cardan_fail(
            r->report, CARDAN_BAD_INPUT, CARDAN_CODE_CONDITION_INCONSISTENT, at->location,
            "%s of joint '%s' at the %s is %g, outside its path bounds, %g to %g; change the condition or the bounds",
            at->kind == CD_CONDITION_Q ? "the coordinate" : "the velocity", cardan_model_joint_name(t->model, j), when,
            at->lower, low, high);
    }
    return good;
}

// Report rotations out of range: rotations of quaternion joints relative to the start are given as 2
// sin(angle/2) along the axis.
static void check_rotations(cd_task_reader* r, const cd_conditions* list)
{
    const cardan_model* m = r->task->model;
    for (int c = 0; c < list->count; ++c) {
        const cd_condition* at = &list->list[c];
        int                 local;
        if (at->kind != CD_CONDITION_Q || cd_coordinate_of_velocity(m, at->velocity_index) >= 0 ||
            (at->lower <= 2 && at->upper >= -2))
            continue;
        r->failed   = true;
        const int j = cardan_model_joint_of_velocity(m, at->velocity_index, &local);
        cardan_fail(r->report, CARDAN_BAD_INPUT, CARDAN_CODE_CONDITION_INCONSISTENT, at->location,
                    "the rotation of joint '%s' is given as 2 sin(angle/2) along each axis, which is at most 2 (half a "
                    "revolution); %g is out of range",
                    cardan_model_joint_name(m, j), at->lower > 2 ? at->lower : at->upper);
    }
}

static const double degree_warning_angle = 25; // [rad] four revolutions; larger angles are probably in degrees

static void warn_degrees(cd_task_reader* r, const cd_conditions* list)
{
    const cardan_model* m = r->task->model;
    for (int c = 0; c < list->count; ++c) {
        const cd_condition* at = &list->list[c];
        int                 local;
        const int j = at->kind == CD_CONDITION_Q ? cardan_model_joint_of_velocity(m, at->velocity_index, &local) : -1;
        const double angle = at->lower == at->upper ? fabs(at->lower) : 0;
        if (j < 0 || angle < degree_warning_angle || at->location.line == 0 ||
            !cd_joint_velocity_is_rotation(m, j, local))
            continue;
        cardan_warn(r->report, CARDAN_CODE_ANGLE_UNIT, at->location,
                    "joint '%s' rotates to %g rad, %.3g revolutions: angles are in radians; write 90 degrees as =pi/2",
                    cardan_model_joint_name(m, j), at->lower, at->lower / (2 * CD_PI));
    }
}

static bool read_choice(cd_task_reader* r, const cd_yaml* node, const char* what, cd_option_name* at, const char** word)
{
    char message[CARDAN_MESSAGE_LENGTH];
    if (!node) return true;
    if (!(*word = cd_task_read_name(r, node))) return false;
    return cd_check_option_name(what, *word, at, message, sizeof message) || cd_task_fail(r, node, "%s", message);
}

static bool read_choices(cd_task_reader* r, const cd_yaml* root)
{
    cardan_task*   t         = r->task;
    const cd_yaml *intervals = cd_yaml_get(root, "intervals"), *degree = cd_yaml_get(root, "degree");
    bool good = read_choice(r, cd_yaml_get(root, "form"), "form", cardan_dynamics_form_name, &t->dynamics_form);
    good      = read_choice(r, cd_yaml_get(root, "transcription"), "transcription", cardan_transcription_name,
                            &t->transcription) &&
           good;
    good = read_choice(r, cd_yaml_get(root, "layout"), "layout", cd_layout_name, &t->layout) && good;
    good = (!intervals || cd_task_read_whole(r, intervals, CD_INTERVALS_MAX, &t->intervals)) && good;
    return (!degree || cd_task_read_whole(r, degree, CD_COLLOCATION_DEGREE_MAX, &t->degree)) && good;
}

// Compile the model: once for the joints, and again after formulas of the task have added signals.
static bool compile(cd_task_reader* r)
{
    cardan_model_destroy(r->task->model);
    r->task->model = NULL;
    if (cardan_model_compile(r->task->description, r->tree, &r->task->model, r->report) == CARDAN_OK &&
        cd_refuse_reaction_signals(r->task->model, "which optimal control does not support", r->report) == CARDAN_OK &&
        cd_refuse_rigid_contacts(r->task->model, "which optimal control does not support", r->report) == CARDAN_OK &&
        cd_check_traced_contacts(r->task->model, "optimal control", r->report) == CARDAN_OK)
        return true;
    r->failed = true;
    return false;
}

// Count the cut joints, which have no coordinates, that the task names in a map or list.
static int count_cut_joints_in(const cd_task_reader* r, const cd_yaml* node)
{
    const bool map = node && node->kind == CD_YAML_MAP;
    int        cut = 0;
    for (int e = 0; node && (map || node->kind == CD_YAML_LIST) && e < node->count; ++e) {
        const cd_yaml* key = map ? node->entry[e].key : node->entry[e].value;
        const int joint    = key->kind == CD_YAML_SCALAR ? cd_task_find_driven_joint(r->task, key->text) : CARDAN_NONE;
        cut += joint >= 0 && r->task->model->joint[joint].is_cut;
    }
    return cut;
}

static int count_cut_joints(const cd_task_reader* r, const cd_yaml* root)
{
    static const char* const section[] = {"start", "end", "path", "guess"};
    static const char* const key[]     = {"q", "v", "a"};
    int                      cut       = count_cut_joints_in(r, cd_yaml_get(root, "controls"));
    for (size_t s = 0; s < sizeof section / sizeof *section; ++s) {
        const cd_yaml* map = cd_yaml_get(root, section[s]);
        for (size_t k = 0; map && map->kind == CD_YAML_MAP && k < sizeof key / sizeof *key; ++k)
            cut += count_cut_joints_in(r, cd_yaml_get(map, key[k]));
    }
    return cut;
}

// Choose the spanning tree: breadth first, or depth first if that cuts fewer joints named by the task; feet fixed to
// ground are then connected to their legs.
static bool choose_tree(cd_task_reader* r, const cd_yaml* root)
{
    r->tree = CARDAN_TREE_BREADTH_FIRST;
    if (!compile(r)) return false;
    const int ncut_breadth_first = count_cut_joints(r, root);
    if (ncut_breadth_first == 0) return true;
    r->tree = CARDAN_TREE_DEPTH_FIRST;
    if (!compile(r)) return false;
    if (count_cut_joints(r, root) < ncut_breadth_first) return true;
    r->tree = CARDAN_TREE_BREADTH_FIRST;
    return compile(r);
}

// Read the sections that refer to joints. Each section is read regardless of errors in others.
static void read_motion(cd_task_reader* r, const cd_yaml* root)
{
    cardan_task*   t        = r->task;
    const cd_yaml *controls = cd_yaml_get(root, "controls"), *cost = cd_yaml_get(root, "cost"),
                  *end = cd_yaml_get(root, "end");
    if (!controls)
        r->controls_invalid = !cd_task_fail(
            r, root, "the task has no controls; name the joints that are driven, for example `controls: {hinge: {}}`");
    else
        r->controls_invalid = !cd_task_read_controls(r, controls);
    bool good = cd_task_read_path(r, cd_yaml_get(root, "path"));
    good      = read_start(r, cd_yaml_get(root, "start")) && good;
    good      = (!end || cd_task_read_conditions(r, end, "end", &t->end)) && good;
    if (cost)
        cd_task_read_cost(r, cost);
    else
        cd_task_fail(r, root, "the task has no cost, for example `cost: {effort: 1}`");
    cd_task_read_guess(r, cd_yaml_get(root, "guess"));
    if (!good) return;
    check_bounds(r, "start", &t->start);
    check_bounds(r, "end", &t->end);
    check_rotations(r, &t->start);
    check_rotations(r, &t->end);
    warn_degrees(r, &t->start);
    warn_degrees(r, &t->end);
}

static void read_sections(cd_task_reader* r, const cd_yaml* root)
{
    cardan_task*   t    = r->task;
    const cd_yaml *name = cd_yaml_get(root, "task"), *model = cd_yaml_get(root, "model"),
                  *controls = cd_yaml_get(root, "controls");
    const char* kind_error  = cd_file_kind_error(root, CD_FILE_TASK);
    if (kind_error) {
        cd_task_fail(r, root, "%s", kind_error);
        return;
    }
    if (!cd_task_check_keys(r, root, "task", NULL) && root->kind != CD_YAML_MAP) return;
    if (!name)
        cd_task_fail(r, root, "the task has no name; give it by the key `task`");
    else
        t->name = cd_task_read_name(r, name);
    if (!load_model(r, root, model)) return;
    read_parameters(r, cd_yaml_get(root, "parameters"));
    if (r->no_memory) return;
    read_horizon(r, root, cd_yaml_get(root, "horizon"));
    read_choices(r, root);
    if (controls) cd_task_clear_actuator_formulas(r, controls);
    if (!choose_tree(r, root) || !check_model(r, model)) return;
    if (!make_arrays(t)) {
        r->failed = true;
        return;
    }
    read_motion(r, root);
    if (!r->failed) compile(r);
}

cardan_status cd_task_read(cardan_task* task, const char* path, const char* text, const cardan_load_options* options,
                           cardan_report* report)
{
    const cardan_load_options default_options = cardan_load_options_default();
    cd_task_reader            r    = {.task = task, .options = options ? options : &default_options, .report = report};
    const char*               kept = cd_name_table_add(task->strings, path, 0);
    if (!kept) return CARDAN_NO_MEMORY;
    task->location       = (cardan_location){.file = kept};
    cd_yaml_file  file   = {.path = kept, .text = text, .length_unit = 1, .angle_unit = 1, .mass_unit = 1};
    int           nerror = 0;
    const int     before = report ? report->errors : 0;
    cardan_status status = cd_yaml_read(&r.pool, &file, report, &nerror);
    if (status == CARDAN_OK && file.root) read_sections(&r, file.root);
    if (status == CARDAN_OK && (r.failed || nerror > 0 || !file.root)) status = CARDAN_BAD_INPUT;
    // every error has a message: a failure without one is out of memory
    if (status == CARDAN_BAD_INPUT && (r.pool.failed || (report && (report->no_memory || report->errors == before))))
        status = CARDAN_NO_MEMORY;
    cd_pool_release(&r.pool);
    return status;
}
