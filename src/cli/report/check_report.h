// SPDX-License-Identifier: BSD-3-Clause
// What is known about a mechanism after looking at it once: gathered by `check`, told in words or as JSON.
#pragma once

#include "cli/support/mechanism.h"
#include "model/model.h"

#include <cardan/diagnose.h>

typedef struct cd_check_result {
    const cardan_model*       model;
    const cd_model_instance*  instance;   // at its start; c->data is NULL where no formulation of this version takes it
    cardan_diagnosis*         diagnosis;  // NULL then
    int                       nmoving;    // moving bodies, welded ones counted as one
    int                       tree_depth; // joints on the longest way to ground
    int                       maximal_rows;       // equations of all joints when every group is free: 6 - dof each
    int                       closure_rows;       // equations of the joints that close loops
    double                    velocity_violation; // [m/s, rad/s] how much the start velocities tear at the loops
    double                    mass, mass_centre[3];
    cardan_formulation_choice choice;     // what solves it by itself
    bool                      is_regular; // every motion is resisted by an inertia
} cd_check_result;

// Loops, what repeats and why, and the pose.
void cd_check_print_loops(const cd_check_result* facts);
// The same of loops that repeat equations, as strings.
void cd_check_write_loop_notes(const cd_check_result* facts, cd_json_writer* json);
void cd_check_print_summary(const cd_mechanism* mechanism, const cd_check_result* facts);
int  cd_check_print_json(const cd_mechanism* mechanism, const cd_check_result* facts); // exit code
