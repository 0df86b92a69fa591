// SPDX-License-Identifier: BSD-3-Clause
// Reader of model files: files, definitions, then one visit per kind of element, in the order of their dependencies.
#include "io/yaml/read_model.h"

#include "core/check_arguments.h"
#include "core/escape.h"
#include "core/number_locale.h"
#include "io/format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- definitions

static const struct {
    const char*        section;
    cd_definition_kind kind;
} section_kinds[] =
    {
        {"parameters", CD_DEFINITION_PARAMETER},   {"tables", CD_DEFINITION_TABLE},
        {"points", CD_DEFINITION_POINT},           {"templates", CD_DEFINITION_TEMPLATE},
        {"values", CD_DEFINITION_VALUE}, // the definitions on which ranges of repetitions may depend end here
        {"bodies", CD_DEFINITION_FRAME},           {"markers", CD_DEFINITION_FRAME},
        {"joints", CD_DEFINITION_JOINT},           {"forces", CD_DEFINITION_FORCE},
        {"constraints", CD_DEFINITION_CONSTRAINT}, {"states", CD_DEFINITION_STATE},
        {"outputs", CD_DEFINITION_OUTPUT},         {"materials", CD_DEFINITION_MATERIAL},
};

enum { RANGE_KINDS = 5 };

// Define an entry of a section; a value is defined twice, for both kinds of formulas.
static cd_definition* define_entry(cd_reader* r, cd_definition_kind kind, const cd_level* level,
                                   const cd_yaml_entry* entry)
{
    cd_definition* def = cd_define(r, kind, level, entry->key, entry->value);
    if (def && kind == CD_DEFINITION_VALUE) cd_define(r, CD_DEFINITION_CONSTANT_VALUE, level, entry->key, entry->value);
    return def;
}

static bool define(cd_reader* r, const cd_level* level, const char* section, cd_yaml_entry* entry)
{
    size_t i = 0;
    while (strcmp(section_kinds[i].section, section) != 0) ++i;
    if (i < RANGE_KINDS && level == r->root_level) return true; // already defined before repetitions were counted
    cd_definition* def = define_entry(r, section_kinds[i].kind, level, entry);
    if (def) def->is_body = strcmp(section, "bodies") == 0;
    return r->status != CARDAN_NO_MEMORY;
}

// Define everything on which ranges of repetitions may depend.
static bool define_range_dependencies(cd_reader* r)
{
    for (cd_yaml_file* f = r->source->first_file; f; f = f->next)
        for (int i = 0; i < RANGE_KINDS; ++i) {
            const cd_yaml* node = cd_yaml_get(f->root, section_kinds[i].section);
            for (int k = 0; node && node->kind == CD_YAML_MAP && k < node->count; ++k)
                if (!define_entry(r, section_kinds[i].kind, r->root_level, &node->entry[k]) &&
                    r->status == CARDAN_NO_MEMORY)
                    return false;
        }
    return true;
}

static bool define_ground(cd_reader* r)
{
    cd_yaml* node = cd_pool_alloc(&r->pool, 1, sizeof *node);
    if (!node) return cd_reader_fail_no_memory(r);
    *node = (cd_yaml){.kind = CD_YAML_SCALAR, .text = "ground", .file = r->source->first_file, .is_referenced = true};
    cd_definition* def = cd_define_qualified(r, CD_DEFINITION_FRAME, r->root_level, node, node, "ground");
    if (!def) return false;
    def->is_body = true;
    def->status  = CD_DEFINITION_DONE;
    def->frame   = (cd_frame*)&cd_world_motion;
    def->index   = CARDAN_GROUND;
    return true;
}

// ---- settings by --set

static const char* parameter_at(void* user, int i)
{
    const cd_definitions* defs = user;
    return i < defs->count ? defs->list[i]->name : NULL;
}

enum { PARAMETERS_SHOWN = 12 };

// Report an unknown parameter without similar name, with the list of parameters.
static void fail_setting(cd_reader* r, cardan_location location, const char* name, const char* purpose)
{
    const cd_definitions* defs  = &r->defs[CD_DEFINITION_PARAMETER];
    cd_text               known = {0};
    for (int i = 0; i < defs->count && i < PARAMETERS_SHOWN; ++i)
        cd_text_format(&known, i ? ", %s" : "%s", defs->list[i]->name);
    if (defs->count > PARAMETERS_SHOWN) cd_text_format(&known, " and %d more", defs->count - PARAMETERS_SHOWN);
    if (defs->count == 0)
        cardan_fail(r->report, CARDAN_BAD_INPUT, CARDAN_CODE_UNKNOWN_NAME, location,
                    "there is no parameter '%s'%s; the file has no parameters", name, purpose);
    else
        cardan_fail(r->report, CARDAN_BAD_INPUT, CARDAN_CODE_UNKNOWN_NAME, location,
                    "there is no parameter '%s'%s; the %s %s", name, purpose,
                    defs->count == 1 ? "only parameter is" : "parameters are", known.data ? known.data : "others");
    cd_text_free(&known);
}

static void check_settings(cd_reader* r)
{
    cd_definitions* defs = &r->defs[CD_DEFINITION_PARAMETER];
    for (int i = 0; i < r->options->nsetting; ++i) {
        const char* name = r->options->setting[i].name;
        if (r->setting_used[i]) continue;
        const char*           suggestion = cd_nearest_name(name, parameter_at, defs);
        const cardan_location location   = {.file = r->source->first_file->path};
        ++r->nerror;
        if (r->status == CARDAN_OK) r->status = CARDAN_BAD_INPUT;
        if (r->setting_error[i])
            cardan_fail(r->report, CARDAN_BAD_INPUT, CARDAN_CODE_UNKNOWN_NAME, location, "%s", r->setting_error[i]);
        else if (suggestion)
            cardan_fail(r->report, CARDAN_BAD_INPUT, CARDAN_CODE_UNKNOWN_NAME, location,
                        "there is no parameter '%s' to set (did you mean '%s'?)", name, suggestion);
        else
            fail_setting(r, location, name, " to set");
    }
}

// Check that all parameters that remain inputs exist and have a scalar value.
static void check_inputs(cd_reader* r)
{
    for (int i = 0; i < r->options->ninput; ++i) {
        const char*          name = r->options->input[i];
        const cd_definition* def  = cd_find_qualified(r, CD_DEFINITION_PARAMETER, name);
        const char* suggestion    = def ? NULL : cd_nearest_name(name, parameter_at, &r->defs[CD_DEFINITION_PARAMETER]);
        if (def && def->value->kind == CD_YAML_SCALAR) continue;
        ++r->nerror;
        if (r->status == CARDAN_OK) r->status = CARDAN_BAD_INPUT;
        if (suggestion)
            cardan_fail(r->report, CARDAN_BAD_INPUT, CARDAN_CODE_UNKNOWN_NAME,
                        (cardan_location){.file = r->source->first_file->path},
                        "there is no parameter '%s' (did you mean '%s'?)", name, suggestion);
        else if (def)
            cardan_fail(r->report, CARDAN_BAD_INPUT, CARDAN_CODE_PARAMETER_NOT_NUMERIC, cd_yaml_location(def->key),
                        "parameter '%s' is not a number", name);
        else
            fail_setting(r, (cardan_location){.file = r->source->first_file->path}, name, "");
    }
}

static bool add_parameters(cd_reader* r)
{
    const cd_definitions* defs = &r->defs[CD_DEFINITION_PARAMETER];
    for (int i = 0; i < defs->count; ++i) {
        cd_definition*   def       = defs->list[i];
        const cd_level*  level     = r->root_level;
        cardan_parameter parameter = {.name = def->name, .location = cd_yaml_location(def->key)};
        if (def->value->kind != CD_YAML_SCALAR) continue;
        double plain;
        if (strchr(def->name, '.') && !def->setting && def->value->text[0] != '=' &&
            !cd_parse_plain_number(def->value->text, &plain))
            continue;
        if (!cd_evaluate_definition(r, def)) continue;
        parameter.value = def->x[0];
        if (def->level == level && !strchr(def->name, '.') &&
            cardan_description_add_parameter(r->description, &parameter) == CARDAN_NONE)
            return cd_reader_fail_no_memory(r);
    }
    return true;
}

// ---- sections that occur once in all files

static const cd_yaml* find_single_section(cd_reader* r, const char* key)
{
    const cd_yaml* found = NULL;
    for (cd_yaml_file* f = r->source->first_file; f; f = f->next) {
        const cd_yaml* node = cd_yaml_get(f->root, key);
        if (found && node)
            cd_reader_fail(r, node, "'%s' is defined twice, first in %s:%d", key, found->file->path, found->line);
        else if (node)
            found = node;
    }
    return found;
}

static void read_gravity(cd_reader* r)
{
    const cd_yaml* node = find_single_section(r, "gravity");
    double         g[3];
    if (!node) return;
    const cd_model_element e = {.reader = r, .level = r->root_level, .node = (cd_yaml*)node, .label = "gravity"};
    if (!cd_read_numbers(&e, node, CD_UNIT_GRAVITY, 3, g)) return;
    cardan_description_set_gravity(r->description, g);
    const double size = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    if (size > 0 && size < 0.1 && node->file->length_unit < 1)
        cd_element_warn(
            &e, node, "the value is only %.3g m/s^2, because the length unit of this file is not m; did you mean %.5g?",
            size, 9.81 / node->file->length_unit);
}

static bool set_name(cd_reader* r, const char* name)
{
    cardan_description_set_name(r->description, name);
    const char* kept = cardan_description_get_view(r->description).name;
    return (kept && strcmp(kept, name) == 0) || cd_reader_fail_no_memory(r);
}

static bool read_name(cd_reader* r)
{
    char           flaw[CD_FLAW_SIZE];
    const cd_yaml* node = cd_yaml_get(r->source->first_file->root, "name");
    if (node && node->kind == CD_YAML_SCALAR && !node->has_error) {
        if (cd_name_error(node->text, flaw))
            cd_reader_fail(r, node, "this name contains %s; use printable characters only, on one line", flaw);
        return set_name(r, node->text);
    }
    const char*  slash = strrchr(r->source->first_file->path, '/');
    const char*  name  = slash ? slash + 1 : r->source->first_file->path;
    const char*  dot   = strrchr(name, '.');
    const size_t n     = dot && dot != name ? (size_t)(dot - name) : strlen(name);
    char*        copy  = cd_pool_string(&r->pool, name, n);
    if (!copy) return cd_reader_fail_no_memory(r);
    if (!node && cd_name_error(copy, flaw))
        cd_reader_fail(r, r->source->first_file->root,
                       "the name of the model is the name of its file, which contains %s; add `name:`", flaw);
    return set_name(r, copy);
}

// ---- unused definitions

static void check_used(cd_reader* r)
{
    static const struct {
        cd_definition_kind kind;
        const char *       what, *message;
        bool               error;
    } checks[] = {
        {CD_DEFINITION_POINT, "point", "is not used: remove it, or define a marker there", true},
        {CD_DEFINITION_PARAMETER, "parameter", "is not used", false},
        {CD_DEFINITION_TABLE, "table", "is not used", false},
        {CD_DEFINITION_VALUE, "value", "is not used", false},
        {CD_DEFINITION_TEMPLATE, "template", "is not used", false},
        {CD_DEFINITION_MATERIAL, "material", "is not used", false},
    };
    for (size_t i = 0; i < sizeof checks / sizeof *checks; ++i) {
        const cd_definitions* defs = &r->defs[checks[i].kind];
        for (int k = 0; k < defs->count; ++k) {
            cd_yaml* key = defs->list[k]->key;
            if (key->is_referenced || key->has_error) continue;
            key->is_referenced = true; // report once, regardless of repetitions
            char message[300];
            snprintf(message, sizeof message, "%s '%.200s' %s", checks[i].what, defs->list[k]->name, checks[i].message);
            if (checks[i].error)
                cd_reader_fail(r, key, "%s", message);
            else
                cardan_note(r->report, CARDAN_CODE_MODEL_NOTE, cd_yaml_location(key), "%s", message);
        }
    }
}

static bool evaluate_points(cd_reader* r)
{
    for (int i = 0; i < r->defs[CD_DEFINITION_POINT].count; ++i)
        cd_evaluate_definition(r, r->defs[CD_DEFINITION_POINT].list[i]);
    return r->status != CARDAN_NO_MEMORY;
}

// Add the points of the outer level, which settings can change, to the description.
static bool add_points(cd_reader* r)
{
    const cd_definitions* defs = &r->defs[CD_DEFINITION_POINT];
    for (int i = 0; i < defs->count; ++i) {
        const cd_definition* def = defs->list[i];
        if (def->status != CD_DEFINITION_DONE || def->level != r->root_level || strchr(def->name, '.')) continue;
        cardan_design_point point = {.name = def->name, .location = cd_yaml_location(def->key)};
        memcpy(point.position, def->x, sizeof point.position);
        if (cardan_description_add_point(r->description, &point) == CARDAN_NONE) return cd_reader_fail_no_memory(r);
    }
    return true;
}

static bool read_all(cd_reader* r)
{
    if (!define_ground(r) || !define_range_dependencies(r) || !cd_count_elements(r)) return false;
    if (!cd_visit_elements(r, "tables points materials bodies markers joints constraints forces states values outputs",
                           define))
        return false;
    check_settings(r);
    check_inputs(r);
    if (!add_parameters(r) || !read_name(r)) return false;
    read_gravity(r);
    if (!cd_visit_elements(r, "tables", cd_read_table) || !evaluate_points(r) || !add_points(r)) return false;
    if (!cd_visit_elements(r, "materials", cd_read_material) ||
        !cd_visit_elements(r, "friction", cd_read_material_pair) || !cd_visit_elements(r, "ground", cd_read_ground))
        return false;
    if (!cd_visit_elements(r, "bodies", cd_read_body) || !cd_visit_elements(r, "markers", cd_read_marker) ||
        !cd_visit_elements(r, "joints", cd_read_joint))
        return false;
    if (!cd_visit_elements(r, "couplings", cd_read_coupling) || !cd_visit_elements(r, "states", cd_read_state) ||
        !cd_visit_elements(r, "states", cd_read_state_rate))
        return false;
    if (!cd_visit_elements(r, "joints", cd_read_joint_drivers) ||
        !cd_visit_elements(r, "constraints", cd_read_constraint))
        return false;
    if (!cd_visit_elements(r, "values", cd_read_value) || !cd_visit_elements(r, "forces", cd_read_force) ||
        !cd_visit_elements(r, "outputs", cd_read_output))
        return false;
    cd_yaml* contacts = (cd_yaml*)find_single_section(r, "contacts");
    if (contacts) cd_read_contacts(r, contacts);
    cd_yaml* run = (cd_yaml*)find_single_section(r, "run");
    if (run) cd_read_run_defaults(r, run);
    cd_yaml* suspension = (cd_yaml*)find_single_section(r, "suspension");
    if (suspension) cd_read_suspension(r, suspension);
    if (r->nerror == 0) check_used(r);
    return r->nerror == 0;
}

static bool reader_init(cd_reader* r)
{
    cd_level*     top       = cd_pool_alloc(&r->pool, 1, sizeof *top);
    cd_placement* placement = cd_pool_alloc(&r->pool, 1, sizeof *placement);
    if (!top || !placement) return false;
    *placement                     = (cd_placement){.base = cd_world_motion, .sign = {1, 1, 1}};
    placement->base.coordinates_of = &cd_world_motion;
    *top                           = (cd_level){.prefix = "", .placement = placement, .persistent = top};
    r->root_level                  = top;
    for (int i = 0; i < CD_DEFINITION_KIND_COUNT; ++i)
        if (!(r->defs[i].names = cd_name_table_create())) return false;
    const size_t nsetting = (size_t)r->options->nsetting;
    r->setting_used       = cd_pool_alloc(&r->pool, nsetting, sizeof *r->setting_used);
    r->setting_error      = cd_pool_alloc(&r->pool, nsetting, sizeof *r->setting_error);
    r->description        = cardan_description_create("model");
    if (!r->setting_used || !r->setting_error || !r->description) return false;
    for (int i = 0; i < r->options->ninput; ++i)
        if (cd_signal_node(r->description, (cardan_signal){CARDAN_SIGNAL_PARAMETER, i, CARDAN_NONE, 0}) == CD_NO_NODE)
            return false;
    if (r->options->ninput > 0)
        r->description->parametric = cd_parametric_create(r->description->graph, r->options->ninput);
    return r->options->ninput == 0 || r->description->parametric;
}

static void reader_destroy(cd_reader* r)
{
    for (int i = 0; i < CD_DEFINITION_KIND_COUNT; ++i) {
        cd_name_table_destroy(r->defs[i].names);
        free(r->defs[i].list);
    }
    if (r->number_graph && !r->options->ninput) cd_graph_destroy(r->number_graph);
    cd_pool_release(&r->pool);
}

// Evaluate the files of a source; `path` and `text` (may be NULL) are read into it before, if path is not NULL.
static cardan_status read_model(const char* path, const char* text, cd_model_source* source,
                                const cardan_load_options* options, cardan_description** description,
                                cardan_report* report)
{
    cd_reader* r = calloc(1, sizeof *r);
    *description = NULL;
    if (!r)
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                           "out of memory");
    r->source                            = source;
    r->options                           = options;
    r->report                            = report;
    r->evaluate[CD_DEFINITION_PARAMETER] = cd_evaluate_parameter;
    r->evaluate[CD_DEFINITION_TABLE]     = cd_evaluate_table;
    r->evaluate[CD_DEFINITION_POINT]     = cd_evaluate_point;
    r->evaluate[CD_DEFINITION_VALUE]     = cd_evaluate_value;
    r->evaluate[CD_DEFINITION_OUTPUT]    = cd_evaluate_value;

    r->evaluate[CD_DEFINITION_CONSTANT_VALUE] = cd_evaluate_constant_value;
    if (!reader_init(r))
        cd_reader_fail_no_memory(r);
    else if (!path || cd_read_files(r, path, text))
        read_all(r);
    const cardan_status status = r->status != CARDAN_OK || r->nerror == 0 ? r->status : CARDAN_BAD_INPUT;
    for (int i = options->nsetting - 1; path && status == CARDAN_OK && i >= 0; --i)
        if (r->setting_file[i].path) cd_model_source_drop_setting(source, i);
    if (status == CARDAN_OK)
        *description = r->description;
    else
        cardan_description_destroy(r->description);
    reader_destroy(r);
    free(r);
    return status;
}

cardan_status cd_model_source_evaluate(cd_model_source* source, const cardan_load_options* options,
                                       cardan_description** description, cardan_report* report)
{
    return read_model(NULL, NULL, source, options, description, report);
}

static cardan_status load(const char* path, const char* text, const cardan_load_options* options,
                          cardan_description** description, cardan_report* report)
{
    const cardan_load_options default_options = {0};
    if (!options) options = &default_options;
    cd_model_source* source = cd_model_source_create(options);
    *description            = NULL;
    if (!source)
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                           "out of memory");
    const cardan_status status = read_model(path, text, source, options, description, report);
    if (status == CARDAN_OK)
        cd_model_source_attach(source, *description);
    else
        cd_model_source_destroy(source);
    return status;
}

cardan_status cd_read_yaml(const char* path, const cardan_load_options* options, cardan_description** description,
                           cardan_report* report)
{
    return load(path, NULL, options, description, report);
}

cardan_status cardan_description_load_text(const char* text, const char* name, const cardan_load_options* options,
                                           cardan_description** description, cardan_report* report)
{
    CD_REQUIRE_POINTER(description, "description", report);
    *description = NULL;
    CD_REQUIRE_POINTER(text, "text", report);
    CD_REQUIRE_POINTER(name, "name", report);
    const cardan_status options_status = cd_load_options_check(options, report);
    if (options_status != CARDAN_OK) return options_status;
    const locale_t      before = cd_locale_enter();
    const cardan_status status = load(name, text, options, description, report);
    cd_locale_leave(before);
    return status;
}
