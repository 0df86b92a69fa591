// SPDX-License-Identifier: BSD-3-Clause
// Inside of the reader of study files.
#pragma once

#include "io/yaml.h"
#include "study/plan.h"

typedef struct cd_plan_reader {
    cd_plan*       plan;
    cardan_report* report;
    int            mistakes;
    long long      seed;
} cd_plan_reader;

// Tells a mistake; returns false.
bool cd_plan_mistake(cd_plan_reader* r, const cd_yaml* at, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
// All keys of the map are in the table; else it is told, with a suggestion.
bool cd_plan_keys(cd_plan_reader* r, const cd_yaml* map, const char* section);
// A number or =formula; a whole number from `least` on.
bool cd_plan_number(cd_plan_reader* r, const cd_yaml* node, const char* what, double* value);
bool cd_plan_whole(cd_plan_reader* r, const cd_yaml* node, const char* what, long long least, long long* value);
bool cd_plan_is_number(const char* text, double* value); // finite, the whole text
// The values that a node of `vary` asks for.
bool cd_plan_values(cd_plan_reader* r, const cd_yaml* key, const cd_yaml* node, cd_variable* variable);
// What the key `collect` asks for.
bool cd_plan_collect(cd_plan_reader* r, const cd_yaml* node);
