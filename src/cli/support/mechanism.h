// SPDX-License-Identifier: BSD-3-Clause
// A mechanism as commands want it: read as the options say, compiled for a formulation, its state set.
#pragma once

#include "cli/options.h"
#include "core/json.h"

#include <cardan/assemble.h>
#include <cardan/io.h>

typedef struct cd_mechanism {
    const cd_options*   options;
    cardan_description* description;
    cardan_view         view;
    cd_json_document*   state; // of --state; NULL: none
    cardan_report       report;
} cd_mechanism;

// How the options want models loaded.
cardan_load_options cd_load_options(const cd_options* options);
// Read the model and the state file. Problems are told; returns the exit code, warnings stay in the report.
int  cd_mechanism_open(cd_mechanism* mechanism, const cd_options* options);
void cd_mechanism_close(cd_mechanism* mechanism);
// Tells the warnings held, unless --quiet.
void cd_mechanism_warn(cd_mechanism* mechanism);

// The mechanism by one formulation, at its start.
typedef struct cd_model_instance {
    cardan_model*          model;
    cardan_model_view      model_view;
    cardan_data*           data;
    int                    formulation;
    double                 t;
    cardan_start*          start;         // (njoint) as described and as --state says
    double *               q, *v, *state; // start, loops closed
    cardan_assembly_result assembly;
    double*                a; // accelerations: given with the state, else zero; then results
    int        ncontrol; // of a plan: velocities whose efforts were chosen, and these efforts (nv) at the row at hand
    const int* control;
    const double* control_effort;
} cd_model_instance;

// Loops that the start leaves open are closed; where that fails the report says why. CARDAN_NONE: in the coordinates of
// the tree, to look and not to solve.
cardan_status cd_model_instance_open(cd_model_instance* c, cd_mechanism* mechanism, int formulation);
// A note where --threads are given to a formulation that works alone.
void cd_note_unused_threads(cd_mechanism* mechanism, int formulation);
void cd_model_instance_close(cd_model_instance* c);

// Formulation by name; told and CARDAN_NONE where there is none.
int cd_formulation_by_name(const char* name);
// "auto": the library chooses.
bool cd_formulation_is_auto(const char* name);
// The formulation that the options say, else another one.
int cd_formulation_from_options(const cd_mechanism* mechanism, int otherwise);
// The formulation that the options, else the file, else the counted operations say; CARDAN_NONE where that failed and
// was told.
int cd_select_formulation(cd_mechanism* mechanism);

// What solves loops: the yardstick while they are few, maximal coordinates where they are many. Of the view sizes alone
// count.
int cd_formulation_for_loops(const cd_mechanism* mechanism, const cardan_model_view* view);

// Time that the state file says; *t stays where it says none.
cardan_status cd_state_file_time(const cd_json_document* state, double* t, cardan_report* report);
// The state file over the start of a case; what is wrong in it goes to the report with its place.
cardan_status cd_state_file_apply(const cd_json_document* state, cd_model_instance* c, cardan_report* report);
