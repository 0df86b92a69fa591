// SPDX-License-Identifier: BSD-3-Clause
// Reading study files: every mistake is told with its place, and reading goes on to find the others.
#include "study/plan.h"
#include "io/file_kind.h"

#include "core/escape.h"
#include "core/locale.h"
#include "expression/parse.h"
#include "study/plan_read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *section, *key;
} keys[] = {
#define KEY(section, key) {section, key},
#include "study/plan_keys.def"
#undef KEY
};

enum { NKEY = sizeof keys / sizeof *keys };

bool cd_plan_mistake(cd_plan_reader* r, const cd_yaml* at, const char* format, ...)
{
    char    sentence[CARDAN_MESSAGE_LENGTH];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    ++r->mistakes;
    if (!at->broken)
        cardan_fail(r->report, CARDAN_BAD_INPUT, CARDAN_CODE_STUDY_INVALID, cd_yaml_place(at), "%s", sentence);
    return false;
}

static const char* key_at(void* user, int i)
{
    const char* section = user;
    for (int k = 0; k < NKEY; ++k)
        if (strcmp(keys[k].section, section) == 0 && i-- == 0) return keys[k].key;
    return NULL;
}

bool cd_plan_keys(cd_plan_reader* r, const cd_yaml* map, const char* section)
{
    bool good = true;
    for (int i = 0; i < map->count; ++i) {
        const cd_yaml* key   = map->entry[i].key;
        bool           known = false;
        for (int k = 0; key_at((void*)section, k); ++k)
            known = known || strcmp(key_at((void*)section, k), key->text) == 0;
        if (known) continue;
        const char* near  = cd_nearest(key->text, key_at, (void*)section);
        const char* which = strcmp(section, "study") == 0    ? "a study has"
                            : strcmp(section, "values") == 0 ? "what varies has"
                                                             : "what is collected has";
        if (near)
            good = cd_plan_mistake(r, key, "%s no key '%s' (did you mean '%s'?)", which, key->text, near);
        else
            good = cd_plan_mistake(r, key, "%s no key '%s'", which, key->text);
    }
    return good;
}

bool cd_plan_is_number(const char* text, double* value)
{
    char*        end = NULL;
    const double x   = strtod(text, &end);
    if (end == text || *end || !isfinite(x)) return false;
    *value = x;
    return true;
}

static bool formula(cd_plan_reader* r, const cd_yaml* node, double* value)
{
    cd_graph*      graph = cd_graph_create();
    cd_parse_error error = {0};
    const cd_scope scope = {0};
    const cd_node  n     = graph ? cd_parse(graph, node->text + 1, &scope, &error) : CD_NO_NODE;
    const bool     good  = n != CD_NO_NODE &&
                      (cd_node_is_constant(graph, n, value) || cd_node_evaluate(graph, n, NULL, value) == CARDAN_OK);
    cd_graph_destroy(graph);
    if (!good && (!graph || n != CD_NO_NODE || error.status == CARDAN_NO_MEMORY)) {
        ++r->mistakes;
        return cardan_fail(r->report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cd_yaml_place(node),
                           "out of memory"),
               false;
    }
    if (!good) return cd_plan_mistake(r, node, "%s", *error.text ? error.text : "the formula has no value");
    return isfinite(*value) || cd_plan_mistake(r, node, "the value of '%s' is not finite", node->text);
}

bool cd_plan_number(cd_plan_reader* r, const cd_yaml* node, const char* what, double* value)
{
    char seen[100];
    if (node->kind == CD_YAML_SCALAR && node->text[0] == '=') return formula(r, node, value);
    if (node->kind == CD_YAML_SCALAR && cd_plan_is_number(node->text, value)) return true;
    return cd_plan_mistake(r, node, "%s: a number or =formula is needed, not %s", what,
                           cd_yaml_describe(node, seen, sizeof seen));
}

bool cd_plan_whole(cd_plan_reader* r, const cd_yaml* node, const char* what, long long least, long long* value)
{
    double x;
    if (!cd_plan_number(r, node, what, &x)) return false;
    if (x != floor(x) || x < (double)least || x > 1e15)
        return cd_plan_mistake(r, node, "%s is a whole number from %lld on, not %s", what, least, node->text);
    *value = (long long)x;
    return true;
}

static bool word_of(cd_plan_reader* r, const cd_yaml* node, const char* what, const char** word)
{
    char seen[100];
    if (!node) return true;
    if (node->kind != CD_YAML_SCALAR || !*node->text)
        return cd_plan_mistake(r, node, "%s is a word, not %s", what, cd_yaml_describe(node, seen, sizeof seen));
    if (cd_name_flaw(node->text, seen))
        return cd_plan_mistake(r, node, "%s holds %s; write printable characters alone, on one line", what, seen);
    *word = node->text;
    return true;
}

// {name: value, ...} that is the same in all cases.
static bool read_fixed(cd_plan_reader* r, const cd_yaml* node, const char* what, int* count, cd_fixed** list)
{
    char seen[100];
    bool good = true;
    if (!node) return true;
    if (node->kind != CD_YAML_MAP)
        return cd_plan_mistake(r, node, "%s are {NAME: VALUE}, not %s", what,
                               cd_yaml_describe(node, seen, sizeof seen));
    *list = cd_pool_take(&r->plan->pool, (size_t)node->count + 1, sizeof **list);
    if (!*list) return cd_plan_mistake(r, node, "out of memory");
    for (int i = 0; i < node->count; ++i) {
        const cd_yaml_entry* e = &node->entry[i];
        if (e->value->kind != CD_YAML_SCALAR)
            good = cd_plan_mistake(r, e->value,
                                   "%s: '%s' has one value for all cases, not %s; what varies stands under vary", what,
                                   e->key->text, cd_yaml_describe(e->value, seen, sizeof seen));
        else
            (*list)[(*count)++] = (cd_fixed){e->key->text, e->value->text, cd_yaml_place(e->key)};
    }
    return good;
}

static bool read_vary(cd_plan_reader* r, const cd_yaml* node)
{
    cd_plan* plan = r->plan;
    bool     good = true;
    if (node->kind != CD_YAML_MAP || node->count == 0)
        return cd_plan_mistake(r, node, "vary names what varies, {length: [0.5, 1, 2]}");
    plan->variable = cd_pool_take(&plan->pool, (size_t)node->count, sizeof *plan->variable);
    if (!plan->variable) return cd_plan_mistake(r, node, "out of memory");
    plan->nvariable = node->count;
    for (int i = 0; i < node->count; ++i)
        if (!cd_plan_values(r, node->entry[i].key, node->entry[i].value, &plan->variable[i])) good = false;
    return good;
}

static cd_variable* find_variable(cd_plan* plan, const char* name)
{
    for (int i = 0; i < plan->nvariable; ++i)
        if (strcmp(plan->variable[i].name, name) == 0) return &plan->variable[i];
    return NULL;
}

static const char* variable_at(void* user, int i)
{
    const cd_plan* plan = user;
    return i < plan->nvariable ? plan->variable[i].name : NULL;
}

static bool join(cd_plan_reader* r, const cd_yaml* name, int axis)
{
    cd_variable* v    = name->kind == CD_YAML_SCALAR ? find_variable(r->plan, name->text) : NULL;
    const char*  near = name->kind == CD_YAML_SCALAR && !v ? cd_nearest(name->text, variable_at, r->plan) : NULL;
    if (!v && near) return cd_plan_mistake(r, name, "'%s' does not vary (did you mean '%s'?)", name->text, near);
    if (!v)
        return cd_plan_mistake(r, name,
                               "combine lists names under vary, those that go together in brackets: [[a, b], c]");
    if (v->axis >= 0) return cd_plan_mistake(r, name, "'%s' is combined twice", v->name);
    v->axis = axis;
    return true;
}

// combine: [[a, b], c] makes an axis of each item; what it does not mention has an axis of its own behind them.
static bool read_axes(cd_plan_reader* r, const cd_yaml* node)
{
    cd_plan* plan = r->plan;
    for (int i = 0; i < plan->nvariable; ++i) plan->variable[i].axis = -1;
    for (int i = 0; node && i < node->count; ++i) {
        const cd_yaml* item = node->entry[i].value;
        if (item->kind != CD_YAML_LIST) {
            if (!join(r, item, plan->naxis)) return false;
        } else if (item->count == 0) {
            return cd_plan_mistake(r, item, "combine: an empty group");
        }
        for (int k = 0; item->kind == CD_YAML_LIST && k < item->count; ++k)
            if (!join(r, item->entry[k].value, plan->naxis)) return false;
        ++plan->naxis;
    }
    for (int i = 0; i < plan->nvariable; ++i)
        if (plan->variable[i].axis < 0) plan->variable[i].axis = plan->naxis++;
    return true;
}

static bool read_combine(cd_plan_reader* r, const cd_yaml* node)
{
    const bool zip = node && node->kind == CD_YAML_SCALAR && strcmp(node->text, "zip") == 0;
    if (node && node->kind == CD_YAML_LIST) return read_axes(r, node);
    if (node && !zip && (node->kind != CD_YAML_SCALAR || strcmp(node->text, "grid") != 0))
        return cd_plan_mistake(
            r, node,
            "combine is grid (each with each), zip (first with first) or a list of groups such as [[a, b], c]");
    if (!zip) return read_axes(r, NULL);
    r->plan->naxis = 1; // axes are 0 already
    return true;
}

static bool count_cases(cd_plan_reader* r, const cd_yaml* at)
{
    cd_plan* plan = r->plan;
    double   all  = 1;
    plan->extent  = cd_pool_take(&plan->pool, (size_t)plan->naxis, sizeof *plan->extent);
    if (!plan->extent) return cd_plan_mistake(r, at, "out of memory");
    for (int i = 0; i < plan->nvariable; ++i) {
        const cd_variable* v = &plan->variable[i];
        int*               n = &plan->extent[v->axis];
        for (int k = 0; k < i; ++k)
            if (plan->variable[k].axis == v->axis && plan->variable[k].count != v->count)
                return cd_plan_mistake(r, at,
                                       "'%s' has %d values and '%s' has %d: what goes together must have as many",
                                       plan->variable[k].name, plan->variable[k].count, v->name, v->count);
        *n = v->count;
    }
    for (int i = 0; i < plan->naxis; ++i) all *= plan->extent[i];
    if (all > CD_CASES_MOST)
        return cd_plan_mistake(r, at, "%.6g cases are more than a study takes, %d; zip combines first with first", all,
                               CD_CASES_MOST);
    plan->ncase = (long)all;
    return true;
}

// "studies/stiffness.yaml" -> "stiffness"
static const char* name_of(cd_plan* plan, const char* path)
{
    const char* slash = strrchr(path, '/');
    const char* name  = slash ? slash + 1 : path;
    const char* dot   = strrchr(name, '.');
    return cd_pool_string(&plan->pool, name, dot && dot != name ? (size_t)(dot - name) : strlen(name));
}

const char* cd_plan_beside(cd_plan* plan, const char* name)
{
    const char*  slash  = strrchr(plan->path, '/');
    const size_t folder = slash && name[0] != '/' ? (size_t)(slash - plan->path) + 1 : 0;
    char*        path   = cd_pool_take(&plan->pool, folder + strlen(name) + 1, 1);
    if (!path) return NULL;
    memcpy(path, plan->path, folder);
    strcpy(path + folder, name);
    return path;
}

// What is called: `model` is run, a `problem` optimized, unless `command` says otherwise.
static void read_call(cd_plan_reader* r, const cd_yaml* root)
{
    cd_plan*       plan  = r->plan;
    const cd_yaml *model = cd_yaml_get(root, "model"), *problem = cd_yaml_get(root, "problem"),
                  *command = cd_yaml_get(root, "command");
    const cd_yaml* file    = model ? model : problem;
    plan->command          = problem ? "optimize" : "run";
    plan->command_place    = cd_yaml_place(command ? command : file ? file : root);
    plan->operand_place    = cd_yaml_place(file ? file : root);
    word_of(r, command, "command", &plan->command);
    if (!file)
        cd_plan_mistake(
            r, root,
            "the study does not say which model: pendulum.yaml, a file or folder beside this one, or which problem");
    if (model && problem)
        cd_plan_mistake(r, problem, "a study has a model or a problem; the problem names its model itself");
    const char* word = NULL;
    if (file && word_of(r, file, model ? "model" : "problem", &word) && word)
        plan->operand = cd_plan_beside(plan, word);
}

static void read_rest(cd_plan_reader* r, const cd_yaml* root)
{
    cd_plan*       plan  = r->plan;
    const cd_yaml *limit = cd_yaml_get(root, "limit"), *keep = cd_yaml_get(root, "keep"),
                  *collect = cd_yaml_get(root, "collect");
    word_of(r, cd_yaml_get(root, "name"), "name", &plan->name);
    read_fixed(r, cd_yaml_get(root, "set"), "set", &plan->nset, &plan->set);
    read_fixed(r, cd_yaml_get(root, "options"), "options", &plan->noption, &plan->option);
    if (limit && cd_plan_number(r, limit, "limit", &plan->limit) && !(plan->limit > 0))
        cd_plan_mistake(r, limit, "limit is a time above zero [s]");
    if (keep && strcmp(keep->text, "true") != 0 && strcmp(keep->text, "false") != 0)
        cd_plan_mistake(r, keep, "keep is true or false");
    plan->keep = keep && strcmp(keep->text, "true") == 0;
    if (collect)
        cd_plan_collect(r, collect);
    else
        cd_plan_mistake(r, root,
                        "the study collects nothing: collect: {drift: energy.drift, end: {final: COLUMN}} names the "
                        "columns of its table");
}

static void read_root(cd_plan_reader* r, const cd_yaml* root)
{
    const cd_yaml *version = cd_yaml_get(root, "study"), *vary = cd_yaml_get(root, "vary"),
                  *combine = cd_yaml_get(root, "combine"), *seed = cd_yaml_get(root, "seed");
    if (root->kind != CD_YAML_MAP) {
        cd_plan_mistake(r, root, "a study is a map: study: 1, model: FILE, vary: {...}, collect: {...}");
        return;
    }
    const char* mistaken = cd_file_mistaken(root, CD_FILE_STUDY);
    if (mistaken) {
        cd_plan_mistake(r, root, "%s", mistaken);
        return;
    }
    cd_plan_keys(r, root, "study");
    if (!version && cd_yaml_get(root, "cardan"))
        cd_plan_mistake(r, root, "this is no study; a study begins with study: 1");
    else if (!version)
        cd_plan_mistake(r, root, "a study begins with its version, study: 1");
    else if (strcmp(version->text, "1") != 0)
        cd_plan_mistake(r, version, "this Cardan reads version 1 of studies, not '%s'", version->text);
    r->seed = 1;
    if (seed) cd_plan_whole(r, seed, "seed", 0, &r->seed);
    read_call(r, root);
    if (!vary)
        cd_plan_mistake(r, root, "nothing varies: vary: {length: [0.5, 1, 2]} names what does");
    else if (read_vary(r, vary) && read_combine(r, combine))
        count_cases(r, combine ? combine : vary);
    read_rest(r, root);
}

cardan_status cd_plan_read(const char* path, cd_plan* plan, cardan_report* report)
{
    cd_plan_reader r   = {.plan = plan, .report = report};
    *plan              = (cd_plan){0};
    plan->path         = cd_pool_string(&plan->pool, path, strlen(path));
    plan->name         = name_of(plan, path);
    cd_yaml_file* file = cd_pool_take(&plan->pool, 1, sizeof *file);
    if (!plan->path || !plan->name || !file)
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(), "out of memory");
    *file                      = (cd_yaml_file){.path = plan->path, .length = 1, .angle = 1, .mass = 1};
    const cardan_status status = cd_yaml_read(&plan->pool, file, report, &r.mistakes);
    if (!file->root) return status == CARDAN_OK ? CARDAN_BAD_INPUT : status;
    const locale_t before = cd_locale_enter();
    read_root(&r, file->root);
    cd_locale_leave(before);
    if (plan->pool.failed)
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(), "out of memory");
    return r.mistakes > 0 ? CARDAN_BAD_INPUT : CARDAN_OK;
}

void cd_plan_free(cd_plan* plan)
{
    cd_pool_release(&plan->pool);
    *plan = (cd_plan){0};
}

int cd_plan_value(const cd_plan* plan, long number, const cd_variable* variable)
{
    for (int axis = plan->naxis - 1; axis > variable->axis; --axis) number /= plan->extent[axis];
    return (int)(number % plan->extent[variable->axis]);
}

bool cd_plan_wants_results(const cd_plan* plan)
{
    for (int i = 0; i < plan->ncollect; ++i)
        if (plan->collect[i].kind >= CD_COLLECT_START) return true;
    return false;
}
