// SPDX-License-Identifier: BSD-3-Clause
// Results of `cardan check`, printed as text or as JSON.
#pragma once

#include "cli/support/loaded_model.h"
#include "model/model.h"

#include <cardan/diagnose.h>

typedef struct cd_check_result {
    const cardan_model*       model;
    const cd_model_instance*  instance;     // at its start; instance->data is NULL if no formulation supports the model
    cardan_diagnosis*         diagnosis;    // NULL if the diagnosis failed
    int                       nmoving;      // moving bodies; rigidly connected bodies count as one
    int                       tree_depth;   // joints on the longest path to ground
    int                       maximal_rows; // equations in maximal coordinates: 6 - dof per joint, and constraints
    int                       closure_rows; // equations of the loop-closing joints, and constraints
    double                    velocity_violation; // [m/s, rad/s] at the start
    double                    mass, mass_centre[3];
    cardan_formulation_choice choice;     // formulation that `auto` selects
    bool                      is_regular; // every motion has inertia: accelerations are defined
} cd_check_result;

// Print loops, redundant equations with their reasons, and singularity of the configuration.
void cd_check_print_loops(const cd_check_result* result);
// Write the notes about loops with redundant equations as JSON strings.
void cd_check_write_loop_notes(const cd_check_result* result, cd_json_writer* json);
void cd_check_print_summary(const cd_loaded_model* mechanism, const cd_check_result* result);
void cd_check_write_json(const cd_loaded_model* mechanism, const cd_check_result* result, cd_text* text);
