// SPDX-License-Identifier: BSD-3-Clause
// A case of a study as a call of this tool: `cardan COMMAND FILE --set ... --json -o ...`.
#pragma once

#include "cli/commands/commands.h"
#include "study/case_outcome.h"

// What all cases share.
typedef struct cd_sweep_job {
    cd_parameter_study study;
    const cd_command*  command;
    cd_study_digest    digest;
    char *             csv, *json, *journal, *folder; // the table, and the folder of the cases
    cd_case_outcome*   outcome;                       // (ncase)
    cardan_report      report;
} cd_sweep_job;

// Whether command, options, values and parameters are those that the tool and the model know; mistakes go to the
// report.
cardan_status cd_sweep_check(cd_sweep_job* sweep);

// sweep_columns.c: whether results will have the columns that are collected, as far as that can be known.
bool cd_sweep_check_columns(cd_sweep_job* sweep);

// The arguments of a case, NULL-terminated; the caller frees the list, texts are in the pool. NULL without memory.
const char** cd_sweep_case_arguments(const cd_sweep_job* sweep, long number, const char* csv, cd_pool* pool);

// Folder of a case, and a file in it; the caller frees.
char* cd_sweep_case_path(const cd_sweep_job* sweep, long number, const char* file);

// Fills in the outcome of a process that has ended; `limit` says that it took too long.
void cd_sweep_collect_case(cd_sweep_job* sweep, long number, int wait_status, double seconds, bool timed_out);

// sweep_run.c: all cases that are not done, over processes. Returns the exit code.
int cd_sweep_run_all(cd_sweep_job* sweep, cd_sweep_journal* journal, int workers, bool quiet);
// One case alone, now.
bool cd_sweep_run_case(cd_sweep_job* sweep, long number);

// sweep_plot.c: the picture that --plot asks for. Returns the exit code.
int cd_sweep_plot(const cd_sweep_job* sweep, const cd_options* options, const char* path);
