// SPDX-License-Identifier: BSD-3-Clause
// File formats: one entry of formats.def each, with the function that reads it.
#pragma once

#include <cardan/io.h>

// Read the existing file `path` into a new description. On failure *description is NULL and the report has location and
// reason. `options` is not NULL.
typedef cardan_status cd_format_reader(const char* path, const cardan_load_options* options,
                                       cardan_description** description, cardan_report* report);

typedef struct cd_format {
    const char*       name;
    const char*       extensions; // separated by spaces: ".yaml .yml"
    cd_format_reader* read;
    const char*       summary;
    const char*       part; // optional part that it needs (core/parts.h); NULL: none
} cd_format;

int              cd_format_count(void);
const cd_format* cd_format_at(int i);
const cd_format* cd_format_from_path(const char* path); // by its extension; NULL if unknown
bool             cd_format_is_native(const cd_format* format);

// Report that the file does not exist, with the most similar name in its folder. Returns CARDAN_FILE_ERROR.
cardan_status cd_fail_missing_file(const char* path, cardan_report* report);

// Check that all counted settings and inputs are given. NULL: no options.
cardan_status cd_load_options_check(const cardan_load_options* options, cardan_report* report);

// Return the file that cardan_description_load reads for a path: the path itself, or in a folder the file with the folder's name.
// The caller frees it; NULL if memory is exhausted.
char* cd_find_model_file(const char* path);

// Like cardan_description_save_text, with the reason of a failure: CARDAN_BAD_INPUT if a model file cannot
// represent the description.
cardan_status cd_save_text(const cardan_description* description, char** text, cardan_report* report);
// Write a text that is equal for equal descriptions, as key of caches: as cardan_description_save_text, but names may contain
// characters that model files do not allow. The caller frees it.
cardan_status cd_save_canonical_text(const cardan_description* description, char** text, cardan_report* report);

#define CD_FORMAT(name, extensions, read, summary, part) cd_format_reader read;
#include "io/formats.def"
#undef CD_FORMAT
