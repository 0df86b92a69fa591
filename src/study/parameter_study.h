// SPDX-License-Identifier: BSD-3-Clause
// Parameter study: one command of the tool, called many times with different settings, and the values collected from
// each call. The study file (docs/sweep.md) defines all cases, numbered 0, 1, ...; each case depends on the study file
// alone, so that any process on any machine can compute it.
#pragma once

#include "core/text.h"
#include "io/yaml/pool.h"

#include <cardan/io.h>
#include <cardan/status.h>

// Varied quantity: a parameter of the model, or an option of the command.
typedef struct cd_study_variable {
    const char*     name;
    cardan_location location;
    int             count;
    const char**    text;       // (count) values as passed to the command
    double*         number;     // (count) NaN for texts
    bool            is_numeric; // all values are numbers
    int             axis;
    bool            is_option; // option of the command; set from its option table
} cd_study_variable;

// Setting with the same value in all cases.
typedef struct cd_fixed_setting {
    const char *    name, *value;
    cardan_location location;
} cd_fixed_setting;

typedef enum cd_collect_kind {
    CD_COLLECT_REPORT,    // path in the report that the command prints with --json
    CD_COLLECT_WALL_TIME, // wall time of the process [s]
    CD_COLLECT_EVENT,     // time of an event in the report [s]
    CD_COLLECT_START,     // this and the following: column of the results
    CD_COLLECT_FINAL,
    CD_COLLECT_MINIMUM,
    CD_COLLECT_MAXIMUM,
    CD_COLLECT_MEAN,
    CD_COLLECT_VALUE_AT_TIME,
} cd_collect_kind;

typedef struct cd_collected_value {
    const char*     name;
    cd_collect_kind kind;
    const char*     source; // path in the report, column of the results, type or number of an event
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
    int*                axis_length; // (naxis) number of values along each axis
    long                ncase;
    double              time_limit; // [s] per case; 0: none
    bool                keep_files; // keep the files of the cases
} cd_parameter_study;

enum { CD_CASES_MAX = 10000000 };

// Read the study file. The caller frees the study, also after a failure.
cardan_status cd_parameter_study_read(const char* path, cd_parameter_study* study, cardan_report* report);
void          cd_parameter_study_free(cd_parameter_study* study);
// Path of a file named in the study, relative to the folder of the study file; memory of the study.
const char* cd_parameter_study_path(cd_parameter_study* study, const char* name);
// Index of the value that a variable has in a case: the last axis varies fastest.
int cd_parameter_study_value_index(const cd_parameter_study* study, long number, const cd_study_variable* variable);
// True if a column of the results is collected; otherwise the report is sufficient.
bool cd_parameter_study_needs_results(const cd_parameter_study* study);

// parameter_study_values.c: random number k of the variable `name`, uniform in (0, 1); a function of its arguments
// alone.
double cd_random_uniform(long long seed, const char* name, long k);
double cd_random_normal(long long seed, const char* name, long k);
