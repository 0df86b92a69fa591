// SPDX-License-Identifier: BSD-3-Clause
// What is known about a mechanism after looking at it once: gathered by `check`, told in words or as JSON.
#pragma once

#include "cli/mechanism.h"
#include "model/model.h"

typedef struct cd_facts {
    const cardan_model* m;
    const cd_case*      c;         // at its start; c->data is NULL where no formulation of this version takes it
    int                 groups;    // moving bodies, welded ones counted as one
    int                 depth;     // joints on the longest way to ground
    int                 flat_rows; // equations of all joints when every group is free: 6 - dof each
    int                 rows;      // equations of the joints that close loops
    bool                rank_known;
    int                 rank; // of them, at the start
    double              open; // [m, rad] how far loops are open at the start
    double              slip; // [m/s, rad/s] how much the start velocities tear at them
    double              mass, centre[3];
    bool                regular; // every motion is resisted by an inertia
} cd_facts;

// The loop that a cut joint closes: "ground -A- crank -B- coupler -C- rocker -D- ground".
void cd_loop_text(const cardan_model* m, int joint, cd_text* text);

void cd_check_words(const cd_mechanism* mechanism, const cd_facts* facts);
int  cd_check_json(const cd_mechanism* mechanism, const cd_facts* facts); // exit code
