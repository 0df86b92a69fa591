// SPDX-License-Identifier: BSD-3-Clause
// Values of a task: numbers, ranges, formulas, names; errors are reported with file and line.
#include "optimize/task/read_task.h"
#include "optimize/task/task_schema.h"

#include "core/escape.h"
#include "core/memory.h"
#include "model/description.h"
#include "model/model.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool cd_task_fail(cd_task_reader* r, const cd_yaml* at, const char* format, ...)
{
    char    text[CARDAN_MESSAGE_LENGTH];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    r->failed = true;
    if (!at->has_error)
        cardan_fail(r->report, CARDAN_BAD_INPUT, CARDAN_CODE_TASK_INVALID, cd_yaml_location(at), "%s", text);
    return false;
}

// ---- values

static const char* key_at(void* user, int i)
{
    const cd_task_key* key = cd_task_key_at(user, i);
    return key ? key->key : NULL;
}

// Write the keys of a section: "q, v, a".
static void list_keys(const char* section, char* text, size_t size)
{
    size_t used = 0;
    text[0]     = 0;
    for (int i = 0; cd_task_key_at(section, i) && used < size; ++i)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", cd_task_key_at(section, i)->key);
}

bool cd_task_check_keys(cd_task_reader* r, const cd_yaml* map, const char* section, const char* what)
{
    char buffer[96], list[240];
    if (!what) what = cd_task_section_label(section);
    list_keys(section, list, sizeof list);
    if (map->kind != CD_YAML_MAP)
        return cd_task_fail(r, map, "%s is a map with the keys %s, not %s", what, list,
                            cd_yaml_describe(map, buffer, sizeof buffer));
    bool good = true;
    for (int i = 0; i < map->count; ++i) {
        const cd_yaml* key = map->entry[i].key;
        if (cd_task_key_find(section, key->text)) continue;
        const char* suggestion = cd_nearest_name(key->text, key_at, (void*)section);
        good = suggestion ? cd_task_fail(r, key, "%s has no key '%s' (did you mean '%s'?)", what, key->text, suggestion)
                          : cd_task_fail(r, key, "%s has no key '%s'; it has %s", what, key->text, list);
    }
    return good;
}

bool cd_task_read_number(cd_task_reader* r, const cd_yaml* node, double* value)
{
    char buffer[96];
    if (node->kind != CD_YAML_SCALAR)
        return cd_task_fail(r, node, "expected a number or =formula, not %s",
                            cd_yaml_describe(node, buffer, sizeof buffer));
    if (strcmp(node->text, ".inf") == 0 || strcmp(node->text, "-.inf") == 0) {
        *value = node->text[0] == '-' ? -INFINITY : INFINITY;
        return true;
    }
    cardan_location location = cd_yaml_location(node);
    const bool      equals   = node->text[0] == '=';
    char*           end      = NULL;
    if (!equals) {
        *value = strtod(node->text, &end);
        if (end != node->text && *end == 0 && isfinite(*value)) return true;
        const bool unit = end != node->text && (isspace((unsigned char)*end) || isalpha((unsigned char)*end));
        return cd_task_fail(r, node,
                            unit ? "'%s' is not a number: values are in SI units and radians, without unit names; "
                                   "write 90 degrees as =pi/2"
                                 : "'%s' is not a number; a formula begins with =",
                            node->text);
    }
    if (cardan_description_parse_number(r->task->description, node->text + 1, (location.column += 1, location), value,
                                        r->report) != CARDAN_OK)
        return r->failed = true, false;
    return isfinite(*value) || cd_task_fail(r, node, "'%s' is not finite", node->text);
}

bool cd_task_read_whole(cd_task_reader* r, const cd_yaml* node, int max_value, int* value)
{
    double x;
    if (!cd_task_read_number(r, node, &x)) return false;
    if (!(x >= 1 && x <= max_value) || x != floor(x))
        return cd_task_fail(r, node, "expected a whole number from 1 to %d, not %.10g", max_value, x);
    *value = (int)x;
    return true;
}

// Report formulas with effort(joint) of a joint that is not a control, or a(joint) of a cut joint.
static bool check_signal_joints(cd_task_reader* r, const cd_yaml* node)
{
    const cardan_task*        t = r->task;
    const cardan_description* d = t->description;
    for (int i = 0; i < d->nsignal; ++i) {
        const cardan_signal* s     = &d->signal[i];
        bool                 known = s->kind != CARDAN_SIGNAL_EFFORT || r->controls_invalid;
        for (int k = 0; k < t->ncontrol && !known; ++k)
            known = t->control[k].velocity_index == t->model->tree_range[s->a].v + s->component;
        if (s->kind == CARDAN_SIGNAL_ACCELERATION && t->model->tree_range[s->a].v < 0)
            return cd_task_fail(r, node,
                                "joint '%s' closes a loop and has no coordinates in the spanning tree, so a() is not "
                                "available; name another joint of the loop",
                                d->joint[s->a].name);
        if (!known)
            return cd_task_fail(r, node, "joint '%s' is not among the controls, so effort() is not available for it",
                                d->joint[s->a].name);
    }
    return true;
}

bool cd_task_read_formula(cd_task_reader* r, const cd_yaml* node, cardan_expression* formula)
{
    char buffer[96];
    if (node->kind != CD_YAML_SCALAR)
        return cd_task_fail(r, node, "expected a =formula, not %s", cd_yaml_describe(node, buffer, sizeof buffer));
    cardan_location location = cd_yaml_location(node);
    const bool      equals   = node->text[0] == '=';
    location.column += equals;
    if (cd_parse_task_formula(r->task->description, node->text + equals, location, formula, r->report) == CARDAN_OK)
        return check_signal_joints(r, node);
    r->failed = true;
    return false;
}

bool cd_task_read_range(cd_task_reader* r, const cd_yaml* node, double* lower, double* upper)
{
    if (node->kind != CD_YAML_LIST) {
        if (!cd_task_read_number(r, node, lower)) return false;
        *upper = *lower;
        return true;
    }
    if (node->count != 2)
        return cd_task_fail(r, node, "expected a value or [lower, upper], not a list of %d", node->count);
    if (!cd_task_read_number(r, node->entry[0].value, lower) || !cd_task_read_number(r, node->entry[1].value, upper))
        return false;
    return *lower <= *upper ||
           cd_task_fail(
               r, node,
               "the lower bound %g exceeds the upper bound %g: the range is empty; swap them or widen the range",
               *lower, *upper);
}

const char* cd_task_read_name(cd_task_reader* r, const cd_yaml* node)
{
    char buffer[96];
    if (node->kind != CD_YAML_SCALAR)
        return cd_task_fail(r, node, "expected a name, not %s", cd_yaml_describe(node, buffer, sizeof buffer)), NULL;
    if (cd_name_error(node->text, buffer))
        return cd_task_fail(r, node, "this name contains %s; use printable characters only, on one line", buffer), NULL;
    const char* kept = cd_name_table_add(r->task->strings, node->text, 0);
    if (!kept) r->failed = true;
    return kept;
}

static const char* joint_name_at(void* user, int i)
{
    const cardan_model* m = user;
    return i < m->njoint ? cardan_model_joint_name(m, i) : NULL;
}

const cardan_index_range* cd_task_read_joint(cd_task_reader* r, const cd_yaml* key)
{
    cardan_model* m = r->task->model;
    for (int j = 0; j < m->njoint; ++j)
        if (strcmp(cardan_model_joint_name(m, j), key->text) == 0) {
            if (m->tree_range[j].q >= 0 && m->tree_range[j].nv > 0) return &m->tree_range[j];
            if (m->joint[j].is_cut)
                return cd_task_fail(r, key,
                                    "joint '%s' closes a loop and has no coordinates in the spanning tree; name "
                                    "another joint of the loop, or use a formula with q(%s)",
                                    key->text, key->text),
                       NULL;
            return cd_task_fail(r, key, "joint '%s' has no coordinates", key->text), NULL;
        }
    const char* suggestion = cd_nearest_name(key->text, joint_name_at, m);
    if (suggestion)
        return cd_task_fail(r, key, "there is no joint '%s' (did you mean '%s'?)", key->text, suggestion), NULL;
    char   list[160] = "no joints";
    size_t used      = 0;
    for (int j = 0; j < m->njoint && used < sizeof list; ++j)
        if (m->tree_range[j].nv > 0)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "",
                                     cardan_model_joint_name(m, j));
    return cd_task_fail(r, key, "there is no joint '%s'; '%s' has %s%s", key->text, m->view.name, list,
                        used < sizeof list ? "" : " ..."),
           NULL;
}

const char* cd_task_resolve_path(cd_task_reader* r, const cd_yaml* node)
{
    const char* slash  = strrchr(node->file->path, '/');
    const int   folder = slash && node->text[0] != '/' ? (int)(slash - node->file->path) + 1 : 0;
    cd_text     path   = {0};
    cd_text_format(&path, "%.*s%s", folder, node->file->path, node->text);
    const char* kept = path.failed ? NULL : cd_name_table_add(r->task->strings, path.data, 0);
    cd_text_free(&path);
    if (!kept) r->failed = true;
    return kept;
}
