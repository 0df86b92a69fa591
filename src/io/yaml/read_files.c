// SPDX-License-Identifier: BSD-3-Clause
// Files of a model: the main file, included files, and the units of each.
#include "io/yaml/read_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char* cd_path_relative_to_file(cd_reader* r, cd_pool* pool, const cd_yaml_file* file, const char* name)
{
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

static bool include(cd_reader* r, cd_yaml_file* from, cd_yaml* node);

static bool read_one(cd_reader* r, const char* path, const char* text, const cd_yaml* included)
{
    cd_yaml_file* file = cd_pool_alloc(&r->source->pool, 1, sizeof *file);
    if (!file) return cd_reader_fail_no_memory(r);
    *file = (cd_yaml_file){
        .path = path, .text = text, .length_unit = 1, .angle_unit = 1, .mass_unit = 1, .included_by = included};
    const cardan_status status = cd_yaml_read(&r->source->pool, file, r->report, &r->nerror);
    if (r->nerror > 0 && r->status == CARDAN_OK) r->status = CARDAN_BAD_INPUT;
    if (status == CARDAN_NO_MEMORY) return cd_reader_fail_no_memory(r);
    if (status == CARDAN_FILE_ERROR && !included) r->status = status;
    if (!file->root) return false;
    if (r->source->last_file)
        r->source->last_file->next = file;
    else
        r->source->first_file = file;
    r->source->last_file = file;

    cd_check_model_file(r, file);
    if (file->root->kind != CD_YAML_MAP) return false;
    check_version(r, file);
    const cd_yaml* units = cd_yaml_get(file->root, "units");
    file->length_unit    = unit_value(units, "length", 1);
    file->angle_unit     = unit_value(units, "angle", 1);
    file->mass_unit      = unit_value(units, "mass", 1);
    cd_yaml* more        = cd_yaml_get(file->root, "include");
    return !more || include(r, file, more);
}

static bool include(cd_reader* r, cd_yaml_file* from, cd_yaml* node)
{
    if (node->has_error) return true;
    for (int i = 0; i < node->count; ++i)
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

bool cd_read_files(cd_reader* r, const char* path, const char* text)
{
    const char* kept = cd_pool_string(&r->source->pool, path, strlen(path));
    if (!kept) return cd_reader_fail_no_memory(r);
    return read_one(r, kept, text, NULL) && r->source->first_file;
}
