// SPDX-License-Identifier: BSD-3-Clause
// Reader of study files. Errors are reported with their location; reading continues in order to find further errors.
#include "study/parameter_study.h"
#include "io/file_kind.h"

#include "core/escape.h"
#include "core/number_locale.h"
#include "expression/parse.h"
#include "study/parameter_study_reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *section, *key;
} keys[] = {
#define KEY(section, key) {section, key},
#include "study/parameter_study_keys.def"
#undef KEY
};

enum { NKEY = sizeof keys / sizeof *keys };

bool cd_study_reader_fail(cd_study_reader* r, const cd_yaml* at, const char* format, ...)
{
    char    sentence[CARDAN_MESSAGE_LENGTH];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    ++r->nerror;
    if (!at->has_error)
        cardan_fail(r->report, CARDAN_BAD_INPUT, CARDAN_CODE_STUDY_INVALID, cd_yaml_location(at), "%s", sentence);
    return false;
}

static const char* key_at(void* user, int i)
{
    const char* section = user;
    for (int k = 0; k < NKEY; ++k)
        if (strcmp(keys[k].section, section) == 0 && i-- == 0) return keys[k].key;
    return NULL;
}

bool cd_study_reader_check_keys(cd_study_reader* r, const cd_yaml* map, const char* section)
{
    bool good = true;
    for (int i = 0; i < map->count; ++i) {
        const cd_yaml* key   = map->entry[i].key;
        bool           known = false;
        for (int k = 0; key_at((void*)section, k); ++k)
            known = known || strcmp(key_at((void*)section, k), key->text) == 0;
        if (known) continue;
        const char* suggestion = cd_nearest_name(key->text, key_at, (void*)section);
        const char* which      = strcmp(section, "study") == 0    ? "a study file has"
                                 : strcmp(section, "values") == 0 ? "a range of values has"
                                                                  : "a collected value has";
        if (suggestion)
            good = cd_study_reader_fail(r, key, "%s no key '%s' (did you mean '%s'?)", which, key->text, suggestion);
        else
            good = cd_study_reader_fail(r, key, "%s no key '%s'", which, key->text);
    }
    return good;
}

bool cd_parse_finite_number(const char* text, double* value)
{
    char*        end = NULL;
    const double x   = strtod(text, &end);
    if (end == text || *end || !isfinite(x)) return false;
    *value = x;
    return true;
}

static bool evaluate_formula(cd_study_reader* r, const cd_yaml* node, double* value)
{
    cd_graph*            graph = cd_graph_create();
    cd_parse_error       error = {0};
    const cd_parse_scope scope = {0};
    const cd_node        n     = graph ? cd_parse(graph, node->text + 1, &scope, &error) : CD_NO_NODE;
    const bool           good  = n != CD_NO_NODE &&
                      (cd_node_is_constant(graph, n, value) || cd_node_evaluate(graph, n, NULL, value) == CARDAN_OK);
    cd_graph_destroy(graph);
    if (!good && (!graph || n != CD_NO_NODE || error.status == CARDAN_NO_MEMORY)) {
        ++r->nerror;
        return cardan_fail(r->report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cd_yaml_location(node),
                           "out of memory"),
               false;
    }
    if (!good) return cd_study_reader_fail(r, node, "%s", *error.text ? error.text : "the formula has no value");
    return isfinite(*value) || cd_study_reader_fail(r, node, "the value of '%s' is not finite", node->text);
}

bool cd_study_reader_number(cd_study_reader* r, const cd_yaml* node, const char* what, double* value)
{
    char seen[100];
    if (node->kind == CD_YAML_SCALAR && node->text[0] == '=') return evaluate_formula(r, node, value);
    if (node->kind == CD_YAML_SCALAR && cd_parse_finite_number(node->text, value)) return true;
    return cd_study_reader_fail(r, node, "%s must be a number or =formula, not %s", what,
                                cd_yaml_describe(node, seen, sizeof seen));
}

bool cd_study_reader_integer(cd_study_reader* r, const cd_yaml* node, const char* what, long long value_min,
                             long long* value)
{
    double x;
    if (!cd_study_reader_number(r, node, what, &x)) return false;
    if (x != floor(x) || x < (double)value_min || x > 1e15)
        return cd_study_reader_fail(r, node, "%s must be a whole number of at least %lld, not %s", what, value_min,
                                    node->text);
    *value = (long long)x;
    return true;
}

static bool read_word(cd_study_reader* r, const cd_yaml* node, const char* what, const char** word)
{
    char seen[100];
    if (!node) return true;
    if (node->kind != CD_YAML_SCALAR || !*node->text)
        return cd_study_reader_fail(r, node, "%s must be a word, not %s", what,
                                    cd_yaml_describe(node, seen, sizeof seen));
    if (cd_name_error(node->text, seen))
        return cd_study_reader_fail(r, node, "%s contains %s; use printable characters only, on one line", what, seen);
    *word = node->text;
    return true;
}

// Read settings {name: value, ...} that are the same in all cases.
static bool read_fixed(cd_study_reader* r, const cd_yaml* node, const char* what, int* count, cd_fixed_setting** list)
{
    char seen[100];
    bool good = true;
    if (!node) return true;
    if (node->kind != CD_YAML_MAP)
        return cd_study_reader_fail(r, node, "%s must be a map {NAME: VALUE}, not %s", what,
                                    cd_yaml_describe(node, seen, sizeof seen));
    *list = cd_pool_alloc(&r->study->pool, (size_t)node->count + 1, sizeof **list);
    if (!*list) return cd_study_reader_fail(r, node, "out of memory");
    for (int i = 0; i < node->count; ++i) {
        const cd_yaml_entry* e = &node->entry[i];
        if (e->value->kind != CD_YAML_SCALAR)
            good = cd_study_reader_fail(
                r, e->value, "%s: '%s' must be one value for all cases, not %s; put varied values under vary", what,
                e->key->text, cd_yaml_describe(e->value, seen, sizeof seen));
        else
            (*list)[(*count)++] = (cd_fixed_setting){e->key->text, e->value->text, cd_yaml_location(e->key)};
    }
    return good;
}

static bool read_vary(cd_study_reader* r, const cd_yaml* node)
{
    cd_parameter_study* study = r->study;
    bool                good  = true;
    if (node->kind != CD_YAML_MAP || node->count == 0)
        return cd_study_reader_fail(r, node, "vary must be a map of names to values, {length: [0.5, 1, 2]}");
    study->variable = cd_pool_alloc(&study->pool, (size_t)node->count, sizeof *study->variable);
    if (!study->variable) return cd_study_reader_fail(r, node, "out of memory");
    study->nvariable = node->count;
    for (int i = 0; i < node->count; ++i)
        if (!cd_study_reader_values(r, node->entry[i].key, node->entry[i].value, &study->variable[i])) good = false;
    return good;
}

static cd_study_variable* find_variable(cd_parameter_study* study, const char* name)
{
    for (int i = 0; i < study->nvariable; ++i)
        if (strcmp(study->variable[i].name, name) == 0) return &study->variable[i];
    return NULL;
}

static const char* variable_at(void* user, int i)
{
    const cd_parameter_study* study = user;
    return i < study->nvariable ? study->variable[i].name : NULL;
}

static bool assign_axis(cd_study_reader* r, const cd_yaml* name, int axis)
{
    cd_study_variable* v = name->kind == CD_YAML_SCALAR ? find_variable(r->study, name->text) : NULL;
    const char*        suggestion =
        name->kind == CD_YAML_SCALAR && !v ? cd_nearest_name(name->text, variable_at, r->study) : NULL;
    if (!v && suggestion)
        return cd_study_reader_fail(r, name, "'%s' is not a name under vary (did you mean '%s'?)", name->text,
                                    suggestion);
    if (!v)
        return cd_study_reader_fail(
            r, name, "combine must list names under vary; names combined pairwise are in brackets: [[a, b], c]");
    if (v->axis >= 0) return cd_study_reader_fail(r, name, "'%s' is in combine twice", v->name);
    v->axis = axis;
    return true;
}

// combine: [[a, b], c] defines one axis per item; every other variable gets an axis of its own after them.
static bool read_axes(cd_study_reader* r, const cd_yaml* node)
{
    cd_parameter_study* study = r->study;
    for (int i = 0; i < study->nvariable; ++i) study->variable[i].axis = -1;
    for (int i = 0; node && i < node->count; ++i) {
        const cd_yaml* item = node->entry[i].value;
        if (item->kind != CD_YAML_LIST) {
            if (!assign_axis(r, item, study->naxis)) return false;
        } else if (item->count == 0) {
            return cd_study_reader_fail(r, item, "combine: a group is empty");
        }
        for (int k = 0; item->kind == CD_YAML_LIST && k < item->count; ++k)
            if (!assign_axis(r, item->entry[k].value, study->naxis)) return false;
        ++study->naxis;
    }
    for (int i = 0; i < study->nvariable; ++i)
        if (study->variable[i].axis < 0) study->variable[i].axis = study->naxis++;
    return true;
}

static bool read_combine(cd_study_reader* r, const cd_yaml* node)
{
    const bool zip = node && node->kind == CD_YAML_SCALAR && strcmp(node->text, "zip") == 0;
    if (node && node->kind == CD_YAML_LIST) return read_axes(r, node);
    if (node && !zip && (node->kind != CD_YAML_SCALAR || strcmp(node->text, "grid") != 0))
        return cd_study_reader_fail(
            r, node, "combine must be grid (all combinations), zip (pairwise) or a list of groups such as [[a, b], c]");
    if (!zip) return read_axes(r, NULL);
    r->study->naxis = 1; // all axis indices are 0
    return true;
}

static bool count_cases(cd_study_reader* r, const cd_yaml* at)
{
    cd_parameter_study* study = r->study;
    double              all   = 1;
    study->axis_length        = cd_pool_alloc(&study->pool, (size_t)study->naxis, sizeof *study->axis_length);
    if (!study->axis_length) return cd_study_reader_fail(r, at, "out of memory");
    for (int i = 0; i < study->nvariable; ++i) {
        const cd_study_variable* v = &study->variable[i];
        int*                     n = &study->axis_length[v->axis];
        for (int k = 0; k < i; ++k)
            if (study->variable[k].axis == v->axis && study->variable[k].count != v->count)
                return cd_study_reader_fail(
                    r, at, "'%s' has %d values and '%s' has %d: values combined pairwise must have equal numbers",
                    study->variable[k].name, study->variable[k].count, v->name, v->count);
        *n = v->count;
    }
    for (int i = 0; i < study->naxis; ++i) all *= study->axis_length[i];
    if (all > CD_CASES_MAX)
        return cd_study_reader_fail(r, at,
                                    "the study has %.6g cases, more than the limit of %d; zip combines values pairwise",
                                    all, CD_CASES_MAX);
    study->ncase = (long)all;
    return true;
}

// Name of the study from its path: "studies/stiffness.yaml" -> "stiffness".
static const char* name_from_path(cd_parameter_study* study, const char* path)
{
    const char* slash = strrchr(path, '/');
    const char* name  = slash ? slash + 1 : path;
    const char* dot   = strrchr(name, '.');
    return cd_pool_string(&study->pool, name, dot && dot != name ? (size_t)(dot - name) : strlen(name));
}

const char* cd_parameter_study_path(cd_parameter_study* study, const char* name)
{
    const char*  slash  = strrchr(study->path, '/');
    const size_t folder = slash && name[0] != '/' ? (size_t)(slash - study->path) + 1 : 0;
    char*        path   = cd_pool_alloc(&study->pool, folder + strlen(name) + 1, 1);
    if (!path) return NULL;
    memcpy(path, study->path, folder);
    strcpy(path + folder, name);
    return path;
}

// Read command and operand: `run` for a model, `optimize` for a `problem`, unless `command` is given.
static void read_call(cd_study_reader* r, const cd_yaml* root)
{
    cd_parameter_study* study = r->study;
    const cd_yaml *     model = cd_yaml_get(root, "model"), *problem = cd_yaml_get(root, "problem"),
                  *command  = cd_yaml_get(root, "command");
    const cd_yaml* file     = model ? model : problem;
    study->command          = problem ? "optimize" : "run";
    study->command_location = cd_yaml_location(command ? command : file ? file : root);
    study->operand_location = cd_yaml_location(file ? file : root);
    read_word(r, command, "command", &study->command);
    if (!file)
        cd_study_reader_fail(
            r, root, "the study has no model and no problem; write model: pendulum.yaml, a path relative to this file");
    if (model && problem)
        cd_study_reader_fail(r, problem,
                             "a study has either a model or a problem; the problem file contains its model");
    const char* word = NULL;
    if (file && read_word(r, file, model ? "model" : "problem", &word) && word)
        study->operand = cd_parameter_study_path(study, word);
}

static void read_other_keys(cd_study_reader* r, const cd_yaml* root)
{
    cd_parameter_study* study = r->study;
    const cd_yaml *     limit = cd_yaml_get(root, "limit"), *keep = cd_yaml_get(root, "keep"),
                  *collect = cd_yaml_get(root, "collect");
    read_word(r, cd_yaml_get(root, "name"), "name", &study->name);
    read_fixed(r, cd_yaml_get(root, "set"), "set", &study->nset, &study->set);
    read_fixed(r, cd_yaml_get(root, "options"), "options", &study->noption, &study->option);
    if (limit && cd_study_reader_number(r, limit, "limit", &study->time_limit) && !(study->time_limit > 0))
        cd_study_reader_fail(r, limit, "limit must be a positive time [s]");
    if (keep && strcmp(keep->text, "true") != 0 && strcmp(keep->text, "false") != 0)
        cd_study_reader_fail(r, keep, "keep must be true or false");
    study->keep_files = keep && strcmp(keep->text, "true") == 0;
    if (collect)
        cd_study_reader_collect(r, collect);
    else
        cd_study_reader_fail(
            r, root,
            "the study collects no values; write collect: {drift: energy.error, end: {final: COLUMN}} for the "
            "columns of its table");
}

static void read_root(cd_study_reader* r, const cd_yaml* root)
{
    const cd_yaml *version = cd_yaml_get(root, "study"), *vary = cd_yaml_get(root, "vary"),
                  *combine = cd_yaml_get(root, "combine"), *seed = cd_yaml_get(root, "seed");
    if (root->kind != CD_YAML_MAP) {
        cd_study_reader_fail(r, root, "a study file must be a map: study: 1, model: FILE, vary: {...}, collect: {...}");
        return;
    }
    const char* kind_error = cd_file_kind_error(root, CD_FILE_STUDY);
    if (kind_error) {
        cd_study_reader_fail(r, root, "%s", kind_error);
        return;
    }
    cd_study_reader_check_keys(r, root, "study");
    if (!version && cd_yaml_get(root, "cardan"))
        cd_study_reader_fail(r, root, "this is not a study file; a study file begins with study: 1");
    else if (!version)
        cd_study_reader_fail(r, root, "a study file begins with its version, study: 1");
    else if (strcmp(version->text, "1") != 0)
        cd_study_reader_fail(r, version, "the version of the study file must be 1, not '%s'", version->text);
    r->seed = 1;
    if (seed) cd_study_reader_integer(r, seed, "seed", 0, &r->seed);
    read_call(r, root);
    if (!vary)
        cd_study_reader_fail(r, root, "the study varies no values; write vary: {length: [0.5, 1, 2]}");
    else if (read_vary(r, vary) && read_combine(r, combine))
        count_cases(r, combine ? combine : vary);
    read_other_keys(r, root);
}

cardan_status cd_parameter_study_read(const char* path, cd_parameter_study* study, cardan_report* report)
{
    cd_study_reader r  = {.study = study, .report = report};
    *study             = (cd_parameter_study){0};
    study->path        = cd_pool_string(&study->pool, path, strlen(path));
    study->name        = name_from_path(study, path);
    cd_yaml_file* file = cd_pool_alloc(&study->pool, 1, sizeof *file);
    if (!study->path || !study->name || !file)
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                           "out of memory");
    *file                      = (cd_yaml_file){.path = study->path, .length_unit = 1, .angle_unit = 1, .mass_unit = 1};
    const cardan_status status = cd_yaml_read(&study->pool, file, report, &r.nerror);
    if (!file->root) return status == CARDAN_OK ? CARDAN_BAD_INPUT : status;
    const locale_t before = cd_locale_enter();
    read_root(&r, file->root);
    cd_locale_leave(before);
    if (study->pool.failed)
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                           "out of memory");
    return r.nerror > 0 ? CARDAN_BAD_INPUT : CARDAN_OK;
}

void cd_parameter_study_free(cd_parameter_study* study)
{
    cd_pool_release(&study->pool);
    *study = (cd_parameter_study){0};
}

int cd_parameter_study_value_index(const cd_parameter_study* study, long number, const cd_study_variable* variable)
{
    for (int axis = study->naxis - 1; axis > variable->axis; --axis) number /= study->axis_length[axis];
    return (int)(number % study->axis_length[variable->axis]);
}

bool cd_parameter_study_needs_results(const cd_parameter_study* study)
{
    for (int i = 0; i < study->ncollect; ++i)
        if (study->collect[i].kind >= CD_COLLECT_START) return true;
    return false;
}
