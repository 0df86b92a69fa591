// SPDX-License-Identifier: BSD-3-Clause
// Report of a finished run: text summary, JSON, and manifest of the results.
#pragma once

#include "cli/report/result_columns.h"
#include "cli/support/generated_code_use.h"

#include <cardan/simulate.h>

enum {
    CD_EVENTS_STORED_MAX  = 1000,
    CD_EVENTS_PRINTED_MAX = 8
}; // further events are only counted; branch switches are always stored and printed

typedef struct cd_run_files {
    char *      csv, *svg, *picture; // NULL: not written
    bool        stream;              // the CSV goes to standard output
    const char* html;                // recording of the option --html, or NULL
} cd_run_files;

typedef struct cd_run_outcome {
    const cd_loaded_model*       mechanism;
    cd_model_instance*           instance;
    const cardan_run_settings*   run;
    cardan_run_summary           summary;
    const cd_run_files*          files;
    bool                         csv_written, svg_written, picture_written;
    int                          curves_omitted;    // columns without a curve
    bool                         is_prescribed;     // kinematic analysis: drivers prescribe the motion
    double *                     q, *v, *a, *state; // last sample
    double                       t;
    const cd_generated_code_use* generated; // NULL: not considered
    const cd_columns*            columns;
    int                          nevent, event_capacity; // events stored
    cardan_event*                event;                  // (event_capacity)
} cd_run_outcome;

void          cd_run_print_summary(const cd_run_outcome* outcome);
int           cd_run_print_json(const cd_run_outcome* outcome); // returns the exit code
cardan_status cd_run_write_manifest(const cd_run_outcome* outcome, cardan_report* report);

// Execute `cardan run` or, with `prescribed`, `cardan kinematics`. Returns the exit code.
int cd_run_command(const cd_options* options, bool prescribed);
