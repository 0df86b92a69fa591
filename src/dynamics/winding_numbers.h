// SPDX-License-Identifier: BSD-3-Clause
// Turns that poses do not tell, as they were counted at one state: those of joints that are measured, and of
// constraints that count by themselves. Whoever tries states that come to nothing, as stages of steps, counts from
// where it was.
#pragma once

#include "dynamics/data.h"

typedef struct cd_winding_numbers {
    double* q;                       // (nq_all - nq)
    double* history;                 // (nconstraint x CD_CONSTRAINT_HISTORY), where `counts`
    bool    has_counting_constraint; // some constraint does
} cd_winding_numbers;

void cd_winding_numbers_layout(const cardan_data* data, cd_arena* arena, cd_winding_numbers* winding);
// Those of the data, whose joints have been measured.
void cd_winding_numbers_save(cardan_data* data, cd_winding_numbers* winding);
// The next measurement goes on from what was kept, and so do constraints. The data are set anew then, even to the same
// state, where constraints count, or joints stand more than half a turn from what was kept.
void cd_winding_numbers_restore(const cd_winding_numbers* winding, cardan_data* data);
void cd_winding_numbers_restore_constraints(const cd_winding_numbers* winding, cardan_data* data); // constraints alone
