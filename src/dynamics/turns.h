// SPDX-License-Identifier: BSD-3-Clause
// Turns that poses do not tell, as they were counted at one state: those of joints that are measured, and of
// constraints that count by themselves. Whoever tries states that come to nothing, as stages of steps, counts from
// where it was.
#pragma once

#include "dynamics/data.h"

typedef struct cd_turns {
    double* q;      // (nq_all - nq)
    double* memory; // (nconstraint x CD_MEMORY), where `counts`
    bool    counts; // some constraint does
} cd_turns;

void cd_turns_layout(const cardan_data* data, cd_arena* arena, cd_turns* turns);
// Those of the data, whose joints have been measured.
void cd_turns_keep(cardan_data* data, cd_turns* turns);
// The next measurement goes on from what was kept, and so do constraints. The data are set anew then, even to the same
// state, where constraints count, or joints stand more than half a turn from what was kept.
void cd_turns_return(const cd_turns* turns, cardan_data* data);
void cd_turns_return_rows(const cd_turns* turns, cardan_data* data); // constraints alone
