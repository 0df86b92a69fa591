// SPDX-License-Identifier: BSD-3-Clause
// A study: one command of the tool, called many times with other settings, and what is collected from each call.
// The study file (docs/sweep.md) is read into a plan; its cases are numbered 0, 1, ... and each is known from the plan
// alone, so that any process on any machine can do any of them.
#pragma once

#include "core/text.h"
#include "io/pool.h"

#include <cardan/io.h>
#include <cardan/status.h>

// What varies: a parameter of the model, or an option of the command.
typedef struct cd_variable {
    const char*  name;
    cardan_place place;
    int          count;
    const char** text;    // (count) as the command gets them
    double*      number;  // (count) NaN where it is a word
    bool         numeric; // all of them are numbers
    int          axis;
    bool         option; // of the command; the command's table says so
} cd_variable;

// What is the same in all cases.
typedef struct cd_fixed {
    const char * name, *value;
    cardan_place place;
} cd_fixed;

typedef enum cd_collect_kind {
    CD_COLLECT_REPORT, // from the report that the command prints with --json
    CD_COLLECT_WALL,   // time of the process [s]
    CD_COLLECT_EVENT,  // time of an event in the report
    CD_COLLECT_START,  // from here on: of a column of the results
    CD_COLLECT_FINAL,
    CD_COLLECT_MINIMUM,
    CD_COLLECT_MAXIMUM,
    CD_COLLECT_MEAN,
    CD_COLLECT_AT,
} cd_collect_kind;

typedef struct cd_collect {
    const char*     name;
    cd_collect_kind kind;
    const char*     of; // path in the report, column of the results, kind of event or its number
    double          t;  // CD_COLLECT_AT
    cardan_place    place;
} cd_collect;

typedef struct cd_plan {
    cd_pool      pool;
    const char * path, *name, *command, *operand;
    cardan_place command_place, operand_place;
    int          nvariable, noption, nset, ncollect, naxis;
    cd_variable* variable;
    cd_fixed *   option, *set;
    cd_collect*  collect;
    int*         extent; // (naxis) values along each axis
    long         ncase;
    double       limit; // [s] per case; 0: none
    bool         keep;  // files of the cases stay
} cd_plan;

enum { CD_CASES_MOST = 10000000 };

// Reads the study file; the plan is to be freed in any case.
cardan_status cd_plan_read(const char* path, cd_plan* plan, cardan_report* report);
void          cd_plan_free(cd_plan* plan);
// Path of a file that the study mentions, beside the study; in the plan's memory.
const char* cd_plan_beside(cd_plan* plan, const char* name);
// Which value of a variable a case has: the last axis runs fastest.
int cd_plan_value(const cd_plan* plan, long number, const cd_variable* variable);
// Is a column of the results collected? Else only the report is looked at.
bool cd_plan_wants_results(const cd_plan* plan);

// plan_values.c: draw k of the variable `name`, uniform in (0, 1); a function of its arguments alone.
double cd_draw_uniform(long long seed, const char* name, long k);
double cd_draw_normal(long long seed, const char* name, long k);
