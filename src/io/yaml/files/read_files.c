// SPDX-License-Identifier: BSD-3-Clause
// Files of a model: the main file, included files, and the units of each. A file of another format (URDF) is translated
// to a native file, whose nodes have the locations of the original file. Files that a template includes become
// sections of the template.
#include "io/yaml/read_model.h"

#include "io/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char* cd_path_relative_to_file(cd_reader* r, cd_pool* pool, const cd_yaml_file* file, const char* name)
{
    if (file->origin) file = file->origin;
    const char*  slash  = strrchr(file->path, '/');
    const size_t folder = slash && name[0] != '/' ? (size_t)(slash - file->path) + 1 : 0;
    char*        path   = cd_pool_alloc(pool, folder + strlen(name) + 1, 1);
    if (!path) return cd_reader_fail_no_memory(r), NULL;
    memcpy(path, file->path, folder);
    strcpy(path + folder, name);
    return path;
}

// Return whether two paths denote the same file.
static bool same_file(const char* a, const char* b)
{
    char*      real_a = realpath(a, NULL);
    char*      real_b = realpath(b, NULL);
    const bool same   = real_a && real_b ? strcmp(real_a, real_b) == 0 : strcmp(a, b) == 0;
    free(real_a);
    free(real_b);
    return same;
}

static double unit_value(const cd_yaml* units, const char* key, double default_value)
{
    static const struct {
        const char* name;
        double      value;
    } known[]           = {{"m", 1},
                           {"mm", 1e-3},
                           {"cm", 1e-2},
                           {"in", 0.0254},
                           {"ft", 0.3048},
                           {"rad", 1},
                           {"deg", 3.14159265358979323846 / 180},
                           {"kg", 1},
                           {"g", 1e-3},
                           {"t", 1e3},
                           {"lb", 0.45359237}};
    const cd_yaml* node = cd_yaml_get(units, key);
    for (size_t i = 0; node && node->kind == CD_YAML_SCALAR && i < sizeof known / sizeof *known; ++i)
        if (strcmp(known[i].name, node->text) == 0) return known[i].value;
    return default_value;
}

static void check_version(cd_reader* r, const cd_yaml_file* file)
{
    const cd_yaml* version = cd_yaml_get(file->root, "cardan");
    if (version && !version->has_error && strcmp(version->text, "1") != 0)
        cd_reader_fail(r, version, "the version of the model file must be 1, not '%s'", version->text);
}

// ---- files of other formats

// Set the location of a node and of the nodes in it.
static void relocate(cd_yaml* node, cardan_location location)
{
    node->line   = location.line;
    node->column = location.column;
    for (int i = 0; i < node->count; ++i) {
        if (node->entry[i].key) relocate(node->entry[i].key, location);
        relocate(node->entry[i].value, location);
    }
}

// Location of a body, joint or other element of the description by its section.
static cardan_location element_location(const cardan_description* description, const char* section, const char* name)
{
    const cardan_description_view view = cardan_description_get_view(description);
    const int body  = strcmp(section, "bodies") == 0 ? cardan_description_find_body(description, name) : CARDAN_NONE;
    const int joint = strcmp(section, "joints") == 0 ? cardan_description_find_joint(description, name) : CARDAN_NONE;
    if (body >= 0) return view.body[body].location;
    return joint >= 0 ? view.joint[joint].location : (cardan_location){.line = 1, .column = 1};
}

// Give the nodes of a translated file the locations of the original file. In an included file only the sections with
// elements are kept, and `cardan`.
static void adopt_locations(cd_yaml_file* file, const cardan_description* description)
{
    int kept = 0;
    relocate(file->root, (cardan_location){.line = 1, .column = 1});
    for (int i = 0; i < file->root->count; ++i) {
        const cd_yaml_entry entry = file->root->entry[i];
        const bool section        = cd_key_find("template", entry.key->text) || strcmp(entry.key->text, "cardan") == 0;
        if (file->included_by && !section) continue;
        file->root->entry[kept++] = entry;
        for (int k = 0; entry.value->kind == CD_YAML_MAP && k < entry.value->count; ++k) {
            const cd_yaml_entry*  element = &entry.value->entry[k];
            const cardan_location at      = element_location(description, entry.key->text, element->key->text);
            relocate(element->key, at);
            relocate(element->value, at);
        }
    }
    file->root->count = kept;
}

// Material of collision shapes in the section `contacts` of the files read so far; NULL: none.
static const char* collision_material(const cd_reader* r)
{
    for (const cd_yaml_file* f = r->source->first_file; f; f = f->next) {
        const cd_yaml* node = cd_yaml_get(cd_yaml_get(f->root, "contacts"), "collision_shapes");
        if (node && node->kind == CD_YAML_SCALAR) return node->text;
    }
    return NULL;
}

// Read a file of another format (URDF) and translate it to a native file.
static cardan_status read_translated(cd_reader* r, cd_yaml_file* file, const cd_format* format)
{
    const cardan_load_options options     = {.strict             = r->options->strict,
                                             .floating_base      = r->options->floating_base,
                                             .collision_material = collision_material(r)};
    cardan_description*       description = NULL;
    char*                     text        = NULL;
    cardan_status             status      = format->read(file->path, &options, &description, r->report);
    if (status == CARDAN_OK) status = cd_save_text(description, &text, r->report);
    if (status == CARDAN_OK) {
        file->text = text;
        status     = cd_yaml_read(&r->source->pool, file, r->report, &r->nerror);
        file->text = NULL;
    } else if (status != CARDAN_NO_MEMORY) {
        ++r->nerror;
    }
    if (status == CARDAN_OK && file->root) adopt_locations(file, description);
    free(text);
    cardan_description_destroy(description);
    return status;
}

// ---- reading

static bool include(cd_reader* r, cd_yaml_file* from, cd_yaml* node);

// Move the sections of the files that a template includes to the template.
static bool include_in_template(cd_reader* r, const cd_yaml* included_by, cd_yaml* template)
{
    for (int i = 0; i < included_by->count; ++i)
        if (!include_in_template(r, included_by->entry[i].value, template)) return false;
    for (cd_yaml_file* f = r->source->first_file; f; f = f->next) {
        if (f->included_by != included_by || !f->root || f->root->kind != CD_YAML_MAP) continue;
        int kept = 0;
        for (int i = 0; i < f->root->count; ++i) {
            const cd_yaml_entry section = f->root->entry[i];
            const bool          nested  = strcmp(section.key->text, "include") == 0;
            if (nested && !include_in_template(r, section.value, template)) return false;
            if (nested || !cd_key_find("template", section.key->text)) {
                f->root->entry[kept++] = section;
                continue;
            }
            cd_yaml*   own  = cd_yaml_get(template, section.key->text);
            const bool join = own && own->kind == section.value->kind;
            for (int k = 0; join && k < section.value->count; ++k)
                if (!cd_list_append(r, own, section.value->entry[k])) return false;
            if (!join && !own && !cd_list_append(r, template, section)) return false;
            if (own && !join && section.value->kind != CD_YAML_NULL)
                cd_reader_fail(r, section.key, "'%s' has another form in line %d of %s, which includes this file",
                               section.key->text, own->line, own->file->path);
        }
        f->root->count = kept;
    }
    return true;
}

static bool include_for_templates(cd_reader* r, cd_yaml_file* file)
{
    const cd_yaml* templates = cd_yaml_get(file->root, "templates");
    for (int i = 0; templates && templates->kind == CD_YAML_MAP && i < templates->count; ++i) {
        cd_yaml* more = cd_yaml_get(templates->entry[i].value, "include");
        if (more && (!include(r, file, more) || !include_in_template(r, more, templates->entry[i].value))) return false;
    }
    return true;
}

static bool read_one(cd_reader* r, const char* path, const char* text, const cd_yaml* included)
{
    cd_yaml_file* file = cd_pool_alloc(&r->source->pool, 1, sizeof *file);
    if (!file) return cd_reader_fail_no_memory(r);
    *file = (cd_yaml_file){
        .path = path, .text = text, .length_unit = 1, .angle_unit = 1, .mass_unit = 1, .included_by = included};
    const cd_format*    format     = text ? NULL : cd_format_from_path(path);
    const bool          translated = format && !cd_format_is_native(format) && access(path, F_OK) == 0;
    const cardan_status status =
        translated ? read_translated(r, file, format) : cd_yaml_read(&r->source->pool, file, r->report, &r->nerror);
    if (r->nerror > 0 && r->status == CARDAN_OK) r->status = CARDAN_BAD_INPUT;
    if (status == CARDAN_NO_MEMORY) return cd_reader_fail_no_memory(r);
    if (status == CARDAN_FILE_ERROR && !included) r->status = status;
    if (!file->root) return false;
    if (r->source->last_file)
        r->source->last_file->next = file;
    else
        r->source->first_file = file;
    r->source->last_file = file;
    if (file->root->kind != CD_YAML_MAP) return !included;
    cd_yaml* more = cd_yaml_get(file->root, "include");
    return (!more || include(r, file, more)) && include_for_templates(r, file);
}

// Read the included files. Values of the wrong type are skipped here; the check of the file reports them.
static bool include(cd_reader* r, cd_yaml_file* from, cd_yaml* node)
{
    if (node->has_error) return true;
    const bool list = node->kind == CD_YAML_LIST && node->count <= cd_value_type_at(CD_VALUE_FILES)->max_count;
    for (int i = 0; list && i < node->count; ++i)
        if (!include(r, from, node->entry[i].value)) return false;
    if (node->kind != CD_YAML_SCALAR) return true;
    const char* path = cd_path_relative_to_file(r, &r->source->pool, from, node->text);
    if (!path) return false;
    for (const cd_yaml_file* f = r->source->first_file; f; f = f->next) {
        if (!same_file(f->path, path)) continue;
        if (f->included_by)
            cd_reader_fail(r, node, "'%s' is already included, by %s:%d", path, f->included_by->file->path,
                           f->included_by->line);
        else
            cd_reader_fail(r, node, "'%s' includes itself", path);
        return true;
    }
    read_one(r, path, NULL, node);
    return r->status != CARDAN_NO_MEMORY;
}

static void set_units(cd_yaml_file* file)
{
    const cd_yaml* units = cd_yaml_get(file->root, "units");
    file->length_unit    = unit_value(units, "length", 1);
    file->angle_unit     = unit_value(units, "angle", 1);
    file->mass_unit      = unit_value(units, "mass", 1);
}

bool cd_read_files(cd_reader* r, const char* path, const char* text)
{
    const char* kept = cd_pool_string(&r->source->pool, path, strlen(path));
    r->setting_file  = cd_pool_alloc(&r->source->pool, (size_t)r->options->nsetting + 1, sizeof *r->setting_file);
    if (!kept || !r->setting_file) return cd_reader_fail_no_memory(r);
    if (!read_one(r, kept, text, NULL) || !r->source->first_file) return false;
    if (!cd_apply_overrides(r) || !cd_apply_settings(r)) return false;
    for (cd_yaml_file* f = r->source->first_file; f; f = f->next) {
        cd_check_model_file(r, f);
        if (f->root->kind != CD_YAML_MAP) continue;
        check_version(r, f);
        set_units(f);
    }
    for (int i = 0; i < r->options->nsetting; ++i) {
        cd_yaml_file* value = &r->setting_file[i];
        if (!value->origin) continue;
        value->length_unit = value->origin->length_unit;
        value->angle_unit  = value->origin->angle_unit;
        value->mass_unit   = value->origin->mass_unit;
    }
    return r->source->first_file->root->kind == CD_YAML_MAP;
}
