// SPDX-License-Identifier: BSD-3-Clause
// An optimal motion as results: rows as `run` has them, curves, a strobe of the mechanism, a report, a manifest.
#pragma once

#include "cli/plan_starts.h"
#include "cli/simulation.h"

#include <cardan/optimize.h>

typedef struct cd_plan_files {
    char *csv, *svg, *picture; // NULL: not written
    bool  stream;              // the CSV goes to standard output
} cd_plan_files;

typedef struct cd_plan_outcome {
    const cd_options*  options;
    const cardan_task* task;
    const cardan_plan* plan;
    cardan_plan_view   view;
    cardan_violations  violations;
    cardan_status      status;       // of the search
    cardan_status      checked;      // of the simulation with the controls found
    double             q_off, v_off; // where it ends beside the plan
    cd_plan_files      files;
    cd_starts          starts; // count 1: one search, from the guess of the task
} cd_plan_outcome;

// The model of a task as columns want it; controls are those of the plan.
cardan_status cd_plan_case_open(const cd_plan_outcome* outcome, cd_case* c, cardan_report* report);
void          cd_plan_case_close(cd_case* c);

// All files; what is wrong is told. Returns the exit code.
int cd_plan_write(const cd_plan_outcome* outcome);
// plan_plot.c: positions, velocities and efforts over time as SVG, as in Fig. 8 of paper 003. Exit code.
int cd_plan_plot(const cd_plan_outcome* outcome);
// plan_report.c
void          cd_plan_words(const cd_plan_outcome* outcome);
int           cd_plan_json(const cd_plan_outcome* outcome); // exit code
cardan_status cd_plan_manifest(const cd_plan_outcome* outcome, cardan_report* report);
void          cd_plan_sizes(const cardan_plan_view* view, cd_json* json);
void          cd_plan_sizes_words(const cardan_plan_view* view);
