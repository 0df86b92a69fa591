// SPDX-License-Identifier: BSD-3-Clause
// Closed loops and other constraints in optimal control: choice of independent rows, and detection of conditions
// that are redundant to them.
//
// Multipliers of the rows are unknowns in addition to the accelerations; within intervals the rows hold at acceleration
// level. The drift over an interval is corrected at its end: the next state is the end of the interval corrected along
// the rows, so that it satisfies the constraints at position and velocity level.
#pragma once

#include "optimize/task/task.h"

typedef struct cd_loop_constraints {
    int nv,
        nrow;             // independent rows: of constraints, then rotors of off-tree joints
    int  nconstraint_row; // rows of constraints
    int* row;             // (nrow) index of the constraint row; rotors follow
    int* has_position;    // (nconstraint_row) 1: holonomic row
    int  nposition;
} cd_loop_constraints;

// Choose the rows at a state of the task's mechanism in general position.
cardan_status cd_loop_constraints_create(const cardan_task* task, cd_loop_constraints* loops, cardan_report* report);
void          cd_loop_constraints_release(cd_loop_constraints* loops);

// Find equality conditions of the list that follow from the rows, or from conditions before them, at a
// state: `redundant` (count).
cardan_status cd_redundant_conditions(const cardan_task* task, const cd_loop_constraints* loops, const double* q,
                                      const cd_conditions* list, bool* redundant);
