// SPDX-License-Identifier: BSD-3-Clause
// Winding numbers, which cannot be derived from poses: those of off-tree joints and of constraints that count
// revolutions. Saved at one state and restored before trial states that may be discarded, such as stages of
// integrator steps.
#pragma once

#include "dynamics/data.h"

typedef struct cd_winding_numbers {
    double* q;                       // (nq_joint - nq)
    double* history;                 // (nconstraint x CD_CONSTRAINT_HISTORY_SIZE), if has_counting_constraint
    bool    has_counting_constraint; // some constraint counts revolutions
} cd_winding_numbers;

void cd_winding_numbers_layout(const cardan_data* data, cd_arena* arena, cd_winding_numbers* winding);
// Save the winding numbers of the data, whose off-tree joints must be up to date.
void cd_winding_numbers_save(cardan_data* data, cd_winding_numbers* winding);
// Restore the winding numbers; the next evaluation continues from them. Marks the state as stale, so that it is set
// again even if it is equal, if constraints count revolutions or an off-tree joint differs by more than half a
// revolution.
void cd_winding_numbers_restore(const cd_winding_numbers* winding, cardan_data* data);
void cd_winding_numbers_restore_constraints(const cd_winding_numbers* winding, cardan_data* data); // constraints only
