// SPDX-License-Identifier: BSD-3-Clause
// A study: one command of the tool, called many times with other settings, and what is collected from each call.
// The study file (docs/sweep.md) is read into a plan; its cases are numbered 0, 1, ... and each is known from the plan
// alone, so that any process on any machine can do any of them.
#pragma once

#include "core/text.h"
#include "io/yaml/pool.h"

#include <cardan/io.h>
#include <cardan/status.h>

// What varies: a parameter of the model, or an option of the command.
typedef struct cd_study_variable {
    const char*     name;
    cardan_location location;
    int             count;
    const char**    text;       // (count) as the command gets them
    double*         number;     // (count) NaN where it is a word
    bool            is_numeric; // all of them are numbers
    int             axis;
    bool            is_option; // of the command; the command's table says so
} cd_study_variable;

// What is the same in all cases.
typedef struct cd_fixed_setting {
    const char *    name, *value;
    cardan_location location;
} cd_fixed_setting;

typedef enum cd_collect_kind {
    CD_COLLECT_REPORT,    // from the report that the command prints with --json
    CD_COLLECT_WALL_TIME, // time of the process [s]
    CD_COLLECT_EVENT,     // time of an event in the report
    CD_COLLECT_START,     // from here on: of a column of the results
    CD_COLLECT_FINAL,
    CD_COLLECT_MINIMUM,
    CD_COLLECT_MAXIMUM,
    CD_COLLECT_MEAN,
    CD_COLLECT_VALUE_AT_TIME,
} cd_collect_kind;

typedef struct cd_collected_value {
    const char*     name;
    cd_collect_kind kind;
    const char*     source; // path in the report, column of the results, kind of event or its number
    double          time;   // CD_COLLECT_VALUE_AT_TIME
    cardan_location location;
} cd_collected_value;

typedef struct cd_parameter_study {
    cd_pool             pool;
    const char *        path, *name, *command, *operand;
    cardan_location     command_location, operand_location;
    int                 nvariable, noption, nset, ncollect, naxis;
    cd_study_variable*  variable;
    cd_fixed_setting *  option, *set;
    cd_collected_value* collect;
    int*                axis_length; // (naxis) values along each axis
    long                ncase;
    double              time_limit; // [s] per case; 0: none
    bool                keep_files; // files of the cases stay
} cd_parameter_study;

enum { CD_CASES_MAX = 10000000 };

// Reads the study file; the plan is to be freed in any case.
cardan_status cd_parameter_study_read(const char* path, cd_parameter_study* study, cardan_report* report);
void          cd_parameter_study_free(cd_parameter_study* study);
// Path of a file that the study mentions, beside the study; in the plan's memory.
const char* cd_parameter_study_path(cd_parameter_study* study, const char* name);
// Which value of a variable a case has: the last axis runs fastest.
int cd_parameter_study_value_index(const cd_parameter_study* study, long number, const cd_study_variable* variable);
// Is a column of the results collected? Else only the report is looked at.
bool cd_parameter_study_needs_results(const cd_parameter_study* study);

// parameter_study_values.c: draw k of the variable `name`, uniform in (0, 1); a function of its arguments alone.
double cd_random_uniform(long long seed, const char* name, long k);
double cd_random_normal(long long seed, const char* name, long k);
