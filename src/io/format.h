// SPDX-License-Identifier: BSD-3-Clause
// File formats: one row of formats.def each, with the function that reads it.
#pragma once

#include <cardan/io.h>

// Reads the file at `path` (which exists) into a new description. On failure *description is NULL, and the report says
// where and why. Options are never NULL.
typedef cardan_status cd_format_reader(const char* path, const cardan_load_options* options,
                                       cardan_description** description, cardan_report* report);

typedef struct cd_format {
    const char*       name;
    const char*       extensions; // separated by blanks: ".yaml .yml"
    cd_format_reader* read;
    const char*       summary;
} cd_format;

int              cd_format_count(void);
const cd_format* cd_format_at(int i);
const cd_format* cd_format_from_path(const char* path); // by its ending; NULL if it has none that is known

// Says that there is no such file, and which one beside it may be meant; CARDAN_NO_FILE.
cardan_status cd_fail_missing_file(const char* path, cardan_report* report);

// Settings and inputs that are counted are there. NULL: there are none.
cardan_status cd_load_options_check(const cardan_load_options* options, cardan_report* report);

// The file that cardan_load reads for a path: the path, or in a folder the file that has its name. The caller frees;
// NULL without memory.
char* cd_find_model_file(const char* path);

// cardan_save_text, with the reason where it is none: CARDAN_BAD_INPUT for what a model file cannot hold.
cardan_status cd_save_text(const cardan_description* description, char** text, cardan_report* report);
// A text that is the same for two descriptions if they are, for keys of what is made from them: that of
// cardan_save_text, but with names that model files cannot have. The caller frees it.
cardan_status cd_save_canonical_text(const cardan_description* description, char** text, cardan_report* report);

#define CD_FORMAT(name, endings, read, summary) cd_format_reader read;
#include "io/formats.def"
#undef CD_FORMAT
