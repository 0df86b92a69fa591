// SPDX-License-Identifier: BSD-3-Clause
// Case of a parameter study as a call of this program: `cardan COMMAND FILE --set ... --json -o ...`.
#pragma once

#include "cli/commands/commands.h"
#include "study/case_outcome.h"

// Data shared by all cases.
typedef struct cd_study_job {
    cd_parameter_study study;
    const cd_command*  command;
    cd_study_digest    digest;
    char *             csv, *json, *journal, *folder; // paths of table, journal and folder of the cases
    cd_case_outcome*   outcome;                       // (ncase)
    cardan_report      report;
} cd_study_job;

// Check command, options, values and parameters of the study against the command table and the model. Errors go to the
// report.
cardan_status cd_study_check(cd_study_job* sweep);

// study_columns.c: check that the results will have the collected columns, as far as this is decidable before the runs.
bool cd_study_check_columns(cd_study_job* sweep);

// Arguments of a case, NULL-terminated. The caller frees the array; the texts belong to the pool. NULL if memory is
// exhausted.
const char** cd_study_case_arguments(const cd_study_job* sweep, long number, const char* csv, cd_pool* pool);

// Path of the folder of a case, or of a file in it; the caller frees it.
char* cd_study_case_path(const cd_study_job* sweep, long number, const char* file);

// Set the outcome of a case from its ended process; `timed_out`: it exceeded the time limit.
void cd_study_collect_case(cd_study_job* sweep, long number, int wait_status, double seconds, bool timed_out);

// study_run.c: run all pending cases in parallel processes. Returns the exit code.
int cd_study_run_all(cd_study_job* sweep, cd_study_journal* journal, int workers, bool quiet);
// Run one case and wait for it.
bool cd_study_run_case(cd_study_job* sweep, long number);

// study_plot.c: draw the picture of --plot. Returns the exit code.
int cd_study_plot(const cd_study_job* sweep, const cd_options* options, const char* path);
