// SPDX-License-Identifier: BSD-3-Clause
// Digest of a study, and lines of its journal.
#include "study/case_outcome.h"

#include "core/file.h"
#include "core/json.h"
#include "io/format.h"
#include "io/yaml/yaml.h"

#include <cardan/describe.h>
#include <cardan/version.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Append the size and the bytes of a file.
static cardan_status add_file(cd_text* all, const char* path, cardan_report* report)
{
    char*               data   = NULL;
    size_t              length = 0;
    const cardan_status status = cd_file_read(path, &data, &length, report);
    if (status != CARDAN_OK) return status;
    cd_text_format(all, "%zu\n", length);
    cd_text_add_bytes(all, data, length);
    free(data);
    return CARDAN_OK;
}

// Append the description of the model, which comprises its included files; formulas of parameters are in its file.
static void add_description(cd_text* all, const cd_parameter_study* study, const char* path)
{
    cardan_report             ignored     = {0};
    cardan_description*       description = NULL;
    cardan_parameter_setting* setting     = calloc((size_t)study->nset + 1, sizeof *setting);
    cardan_load_options       options     = cardan_load_options_default();
    for (int i = 0; setting && i < study->nset; ++i)
        setting[i] = (cardan_parameter_setting){study->set[i].name, study->set[i].value};
    options.nsetting = study->nset;
    options.setting  = setting;
    const cardan_status status =
        setting ? cardan_description_load(path, &options, &description, &ignored) : CARDAN_NO_MEMORY;
    if (status == CARDAN_NO_MEMORY) all->failed = true;
    if (status == CARDAN_OK) {
        char*               text  = NULL;
        const cardan_status saved = cd_save_canonical_text(description, &text, &ignored);
        if (saved == CARDAN_OK) cd_text_add(all, text);
        if (saved == CARDAN_NO_MEMORY) all->failed = true;
        free(text);
        cardan_description_destroy(description);
    }
    free(setting);
}

// Path of a file relative to the folder of the task file; the caller frees it.
static char* sibling_path(const char* path, const cd_yaml* name)
{
    const char* slash = strrchr(path, '/');
    cd_text     text  = {0};
    cd_text_format(&text, "%.*s%s", slash && name->text[0] != '/' ? (int)(slash - path) + 1 : 0, path, name->text);
    return cd_text_detach(&text);
}

// Append the recorded motions of a task: the value of every key `file` in it.
static void add_recorded_motions(cd_text* all, const char* path, const cd_yaml* node)
{
    for (int i = 0; (node->kind == CD_YAML_MAP || node->kind == CD_YAML_LIST) && i < node->count; ++i) {
        const cd_yaml_entry* e       = &node->entry[i];
        cardan_report        ignored = {0};
        add_recorded_motions(all, path, e->value);
        if (node->kind != CD_YAML_MAP || strcmp(e->key->text, "file") != 0 || e->value->kind != CD_YAML_SCALAR)
            continue;
        char* file = sibling_path(path, e->value);
        if (!file || add_file(all, file, &ignored) == CARDAN_NO_MEMORY) all->failed = true;
        free(file);
    }
}

// Append the model of a task, and the other files that it names.
static void add_referenced_files(cd_text* all, const cd_parameter_study* study, const char* path)
{
    cardan_report       ignored = {0};
    cd_pool             pool    = {0};
    cd_yaml_file        file    = {.path = path, .length_unit = 1, .angle_unit = 1, .mass_unit = 1};
    int                 nerror  = 0;
    const cardan_status read    = cd_yaml_read(&pool, &file, &ignored, &nerror);
    if (read == CARDAN_NO_MEMORY) all->failed = true;
    if (read == CARDAN_OK && file.root && file.root->kind == CD_YAML_MAP) {
        const cd_yaml*      model          = cd_yaml_get(file.root, "model");
        const bool          has_model_path = model && model->kind == CD_YAML_SCALAR;
        char*               named          = has_model_path ? sibling_path(path, model) : NULL;
        char*               mechanism      = named ? cd_find_model_file(named) : NULL;
        const cardan_status added          = mechanism        ? add_file(all, mechanism, &ignored)
                                             : has_model_path ? CARDAN_NO_MEMORY
                                                              : CARDAN_FILE_ERROR;
        if (added == CARDAN_NO_MEMORY) all->failed = true;
        if (added == CARDAN_OK) add_description(all, study, mechanism);
        add_recorded_motions(all, path, file.root);
        free(mechanism);
        free(named);
    }
    cd_pool_release(&pool);
}

cardan_status cd_parameter_study_digest(const cd_parameter_study* study, cd_study_digest* digest, cardan_report* report)
{
    cd_text       all    = {0};
    char*         file   = cd_find_model_file(study->operand);
    cardan_status status = CARDAN_NO_MEMORY;
    cd_text_format(&all, "cardan %s\n", cardan_version());
    if (file) status = add_file(&all, study->path, report);
    if (status == CARDAN_OK) {
        cardan_report ignored = {0};
        status                = add_file(&all, file, &ignored);
        if (status != CARDAN_OK)
            cardan_fail(report, status, CARDAN_CODE_FILE_NOT_READABLE, study->operand_location,
                        "the file '%s' cannot be read", file);
    }
    if (status == CARDAN_OK && strcmp(study->command, "optimize") == 0)
        add_referenced_files(&all, study, file);
    else if (status == CARDAN_OK)
        add_description(&all, study, file);
    if (all.failed) status = CARDAN_NO_MEMORY;
    if (status == CARDAN_OK) cd_sha256(all.data, all.length, digest->text);
    cd_text_free(&all);
    free(file);
    return status;
}

// Append JSON without line breaks and indentation; line breaks in strings are escaped.
static void add_on_one_line(cd_text* text, const cd_text* json)
{
    for (const char* p = json->data; !json->failed && *p; ++p) {
        if (*p == '\n') {
            while (p[1] == ' ') ++p;
            continue;
        }
        cd_text_add_bytes(text, p, 1);
    }
    cd_text_add(text, "\n");
    text->failed |= json->failed;
}

void cd_study_journal_write_header(cd_text* text, const cd_study_digest* digest, long ncase)
{
    cd_text        indented = {0};
    cd_json_writer json     = cd_json_writer_to(&indented);
    cd_json_begin_object(&json, NULL);
    cd_json_integer(&json, "sweep", 1);
    cd_json_string(&json, "version", cardan_version());
    cd_json_string(&json, "study", digest->text);
    cd_json_integer(&json, "cases", ncase);
    cd_json_end(&json);
    add_on_one_line(text, &indented);
    cd_text_free(&indented);
}

void cd_case_outcome_write_line(cd_text* text, long number, const cd_study_digest* digest, const cd_case_outcome* o,
                                int ncell)
{
    cd_text        indented  = {0};
    cd_json_writer json      = cd_json_writer_to(&indented);
    char           start[17] = {0};
    memcpy(start, digest->text, 16);
    cd_json_begin_object(&json, NULL);
    cd_json_integer(&json, "case", number + 1);
    cd_json_string(&json, "study", start);
    cd_json_string(&json, "status", o->status);
    if (o->reason) cd_json_string(&json, "reason", o->reason);
    cd_json_number(&json, "seconds", o->seconds);
    if (cd_case_outcome_is_ok(o)) {
        cd_json_begin_array(&json, "values");
        for (int i = 0; i < ncell; ++i)
            if (o->cell[i].text)
                cd_json_string(&json, NULL, o->cell[i].text);
            else
                cd_json_number(&json, NULL, o->cell[i].number);
        cd_json_end(&json);
        cd_json_begin_array(&json, "units");
        for (int i = 0; i < ncell; ++i) cd_json_string(&json, NULL, o->cell[i].unit ? o->cell[i].unit : "");
        cd_json_end(&json);
    }
    cd_json_end(&json);
    add_on_one_line(text, &indented);
    cd_text_free(&indented);
}
