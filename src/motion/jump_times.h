// SPDX-License-Identifier: BSD-3-Clause
// Jumps of formulas that time alone decides, as switches and pulses have.
//
// They are looked for at times some thousandths of the run apart; pulses that are shorter may be missed.
#pragma once

#include "dynamics/law_breaks.h"

// Whether time decides what a node of the description's graph is, and nothing else that changes; CARDAN_NO_MEMORY.
// looks (nsignal + 1): scratch.
cardan_status cd_is_of_time(const cardan_model* m, int node, bool* looks, bool* is);

// Those of forces, states and laws of motion, whose accelerations jump there, between two times, in their order, with
// what rounding sets apart from them, as rows are; `output` [s] between rows. A warning where there are too many. *at
// is the caller's to free; -1 without memory.
int cd_jump_times(cardan_data* d, double start, double end, double output, cd_kink** at, cardan_report* report);
