// SPDX-License-Identifier: BSD-3-Clause
// Model of a command: loaded with the settings of the options, compiled for one formulation, with its start state.
#pragma once

#include "cli/options.h"
#include "core/json.h"

#include <cardan/assemble.h>
#include <cardan/io.h>

typedef struct cd_loaded_model {
    const cd_options*       options;
    cardan_description*     description;
    cardan_description_view view;
    cd_json_document*       state; // parsed file of --state; NULL: none
    cardan_report           report;
} cd_loaded_model;

// Load options (parameter settings, strictness, floating base) from the command line.
cardan_load_options cd_load_options(const cd_options* options);
// Load the model and the state file. Prints errors and returns the exit code; warnings stay in the report.
int  cd_loaded_model_open(cd_loaded_model* mechanism, const cd_options* options);
void cd_loaded_model_close(cd_loaded_model* mechanism);
// Print the stored warnings, except with --quiet, and clear the report.
void cd_loaded_model_warn(cd_loaded_model* mechanism);

// Model compiled for one formulation, with data at the start state.
typedef struct cd_model_instance {
    cardan_model*          model;
    cardan_model_view      model_view;
    cardan_data*           data;
    int                    formulation;
    double                 t;
    cardan_joint_start*    start;         // (njoint) start values of the model and of --state
    double *               q, *v, *state; // start state with closed loops
    cardan_assembly_result assembly;
    double*                a; // accelerations: from the state file, else zero; overwritten by results
    int           ncontrol;   // solution of an OCP: controlled velocities (ncontrol) and efforts (nv) at the sample
    const int*    control;
    const double* control_effort;
    const char*   reaction_point; // --reaction-point; NULL: first
} cd_model_instance;

// Compile the model, create its data and assemble the start state: loops are closed, velocities are made consistent. If
// this fails, the report contains the reason and c is empty. CARDAN_NONE: breadth-first tree without a formulation, for
// kinematics and diagnosis only.
cardan_status cd_model_instance_open(cd_model_instance* c, cd_loaded_model* mechanism, int formulation);
// Add a note if --threads is given and the formulation uses one thread only.
void cd_note_unused_threads(cd_loaded_model* mechanism, int formulation);
void cd_model_instance_close(cd_model_instance* c);
// Unit of the effort on velocity i of a joint: "N m" or "N".
const char* cd_effort_unit(const cardan_model* model, int joint, int i);

// Find a formulation by name. Prints an error and returns CARDAN_NONE if the name is unknown.
int cd_formulation_by_name(const char* name);
// True for "auto": the library selects the formulation.
bool cd_formulation_is_auto(const char* name);
// Formulation of the option --formulation, else `otherwise`.
int cd_formulation_from_options(const cd_loaded_model* mechanism, int otherwise);
// Formulation of the option, else of the model file, else the one with the fewest counted operations. Returns
// CARDAN_NONE after an error, which is already printed.
int cd_select_formulation(cd_loaded_model* mechanism);

// Formulation for models with loops: dense (the reference) up to a size limit, above it maximal coordinates (lagrange).
// Reads only the sizes of `view`.
int cd_formulation_for_loops(const cd_loaded_model* mechanism, const cardan_model_view* view);

// Read the time from the state file; *t is unchanged if the file has no time.
cardan_status cd_state_file_time(const cd_json_document* state, double* t, cardan_report* report);
// Overwrite the start values of c with those of the state file. Errors go to the report with their location.
cardan_status cd_state_file_apply(const cd_json_document* state, cd_model_instance* c, cardan_report* report);
