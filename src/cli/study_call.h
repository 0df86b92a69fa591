// SPDX-License-Identifier: BSD-3-Clause
// A case of a study as a call of this tool: `cardan COMMAND FILE --set ... --json -o ...`.
#pragma once

#include "cli/commands.h"
#include "study/outcome.h"

// What all cases share.
typedef struct cd_sweep {
    cd_plan           plan;
    const cd_command* command;
    cd_digest         digest;
    char *            csv, *json, *journal, *folder; // the table, and the folder of the cases
    cd_outcome*       outcome;                       // (ncase)
    cardan_report     report;
} cd_sweep;

// Whether command, options, values and parameters are those that the tool and the model know; mistakes go to the
// report.
cardan_status cd_sweep_check(cd_sweep* sweep);

// study_columns.c: whether results will have the columns that are collected, as far as that can be known.
bool cd_sweep_check_columns(cd_sweep* sweep);

// The arguments of a case, NULL-terminated; the caller frees the list, texts are in the pool. NULL without memory.
const char** cd_sweep_arguments(const cd_sweep* sweep, long number, const char* csv, cd_pool* pool);

// Folder of a case, and a file in it; the caller frees.
char* cd_sweep_path(const cd_sweep* sweep, long number, const char* file);

// Fills in the outcome of a process that has ended; `limit` says that it took too long.
void cd_sweep_conclude(cd_sweep* sweep, long number, int how, double seconds, bool limit);

// study_run.c: all cases that are not done, over processes. Returns the exit code.
int cd_sweep_run(cd_sweep* sweep, cd_journal* journal, int workers, bool quiet);
// One case alone, now.
bool cd_sweep_one(cd_sweep* sweep, long number);

// study_plot.c: the picture that --plot asks for. Returns the exit code.
int cd_sweep_plot(const cd_sweep* sweep, const cd_options* options, const char* path);
