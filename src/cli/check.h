// SPDX-License-Identifier: BSD-3-Clause
// What is known about a mechanism after looking at it once: gathered by `check`, told in words or as JSON.
#pragma once

#include "cli/mechanism.h"
#include "model/model.h"

#include <cardan/diagnose.h>

typedef struct cd_facts {
    const cardan_model* m;
    const cd_case*      c;         // at its start; c->data is NULL where no formulation of this version takes it
    cardan_diagnosis*   g;         // NULL then
    int                 groups;    // moving bodies, welded ones counted as one
    int                 depth;     // joints on the longest way to ground
    int                 flat_rows; // equations of all joints when every group is free: 6 - dof each
    int                 rows;      // equations of the joints that close loops
    double              slip;      // [m/s, rad/s] how much the start velocities tear at the loops
    double              mass, centre[3];
    cardan_choice       choice;  // what solves it by itself
    bool                regular; // every motion is resisted by an inertia
} cd_facts;

// Loops, what repeats and why, and the pose.
void cd_check_loops(const cd_facts* facts);
// The same of loops that repeat equations, as strings.
void cd_check_loop_notes(const cd_facts* facts, cd_json* json);
void cd_check_words(const cd_mechanism* mechanism, const cd_facts* facts);
int  cd_check_json(const cd_mechanism* mechanism, const cd_facts* facts); // exit code
