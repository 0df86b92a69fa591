// SPDX-License-Identifier: BSD-3-Clause
// Output of `cardan optimize`: samples as in `run`, curves, snapshots of the mechanism, report, manifest.
#pragma once

#include "cli/study/multistart.h"
#include "cli/support/run_settings.h"

#include <cardan/optimize.h>

typedef struct cd_ocp_files {
    char *csv, *svg, *picture; // NULL: not written
    bool  stream;              // the CSV goes to standard output
} cd_ocp_files;

typedef struct cd_ocp_outcome {
    const cd_options*            options;
    const cardan_task*           task;
    const cardan_ocp*            ocp;
    cardan_ocp_view              view;
    cardan_ocp_violation_summary violations;
    cardan_status                status;            // of the NLP solver
    cardan_status                simulation_status; // of the simulation with the optimal controls
    double                       q_error, v_error;  // difference of its end state from the OCP solution
    cd_ocp_files                 files;
    cd_multistart                multistart; // count 1: one search from the guess of the task
} cd_ocp_outcome;

// Open the model of the task as an instance for result columns, with the controls of the solution.
cardan_status cd_ocp_instance_open(const cd_ocp_outcome* outcome, cd_model_instance* c, cardan_report* report);
void          cd_ocp_instance_close(cd_model_instance* c);

// Write all files. Prints errors; returns the exit code.
int cd_ocp_write_files(const cd_ocp_outcome* outcome);
// ocp_plot.c: write positions, velocities and efforts over time as SVG, as in Fig. 8 of paper 003. Returns the exit
// code.
int cd_ocp_write_plot(const cd_ocp_outcome* outcome);
// ocp_report.c
void          cd_ocp_print_summary(const cd_ocp_outcome* outcome);
int           cd_ocp_print_json(const cd_ocp_outcome* outcome); // returns the exit code
cardan_status cd_ocp_write_manifest(const cd_ocp_outcome* outcome, cardan_report* report);
void          cd_ocp_write_sizes_json(const cardan_ocp_view* view, cd_json_writer* json);
void          cd_ocp_print_sizes(const cardan_ocp_view* view);
