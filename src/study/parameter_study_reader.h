// SPDX-License-Identifier: BSD-3-Clause
// Internal header of the reader of study files.
#pragma once

#include "io/yaml/yaml.h"
#include "study/parameter_study.h"

typedef struct cd_study_reader {
    cd_parameter_study* study;
    cardan_report*      report;
    int                 nerror;
    long long           seed;
} cd_study_reader;

// Report an error at a node; returns false.
bool cd_study_reader_fail(cd_study_reader* r, const cd_yaml* at, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
// Check that all keys of the map are in the key table. Reports unknown keys with a suggestion.
bool cd_study_reader_check_keys(cd_study_reader* r, const cd_yaml* map, const char* section);
// Read a number or =formula; read an integer >= `value_min`.
bool cd_study_reader_number(cd_study_reader* r, const cd_yaml* node, const char* what, double* value);
bool cd_study_reader_integer(cd_study_reader* r, const cd_yaml* node, const char* what, long long value_min,
                             long long* value);
bool cd_parse_finite_number(const char* text, double* value); // whole text, finite value
// Read the values of one variable under `vary`.
bool cd_study_reader_values(cd_study_reader* r, const cd_yaml* key, const cd_yaml* node, cd_study_variable* variable);
// Read the key `collect`.
bool cd_study_reader_collect(cd_study_reader* r, const cd_yaml* node);
