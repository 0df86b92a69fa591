// SPDX-License-Identifier: BSD-3-Clause
// Closed loops and other constraints in optimal control: which rows count, and which conditions only repeat them.
//
// Multipliers of the rows are unknowns beside the accelerations, and inside of intervals rows hold at the level of
// accelerations. What that loses in an interval is given back at its end: the next state is the end moved along the
// rows, so that it is closed in positions and in velocities.
#pragma once

#include "optimize/task/task.h"

typedef struct cd_loop_constraints {
    int nv,
        nrow; // rows that count: those of constraints that do not repeat others, and rotors beside the tree behind them
    int  nconstraint_row; // rows of constraints
    int* row;             // (nrow) in the numbering of the closure, rotors behind
    int* has_position;    // (nclosed) 1: it has a position level
    int  nposition;
} cd_loop_constraints;

// At a state of the task's mechanism in general position.
cardan_status cd_loop_constraints_create(const cardan_task* task, cd_loop_constraints* loops, cardan_report* report);
void          cd_loop_constraints_release(cd_loop_constraints* loops);

// Equal conditions of the list that follow from the rows, or from conditions before them, at a state: `repeats`
// (count).
cardan_status cd_redundant_conditions(const cardan_task* task, const cd_loop_constraints* loops, const double* q,
                                      const cd_conditions* list, bool* redundant);
