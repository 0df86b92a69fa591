// SPDX-License-Identifier: BSD-3-Clause
// Jumps of formulas that time alone decides, as switches and pulses have.
//
// They are looked for at times some thousandths of the run apart; pulses that are shorter may be missed.
#pragma once

#include "driver/driver_breakpoints.h"

// Whether time decides what a node of the description's graph is, and nothing else that changes; CARDAN_NO_MEMORY.
// looks (nsignal + 1): scratch.
cardan_status cd_depends_on_time_only(const cardan_model* m, int node, bool* depends_on, bool* is_time_only);

// Those of forces, states and laws of motion, whose accelerations jump there, between two times, in their order, with
// what rounding sets apart from them, as rows are; `output` [s] between rows. A warning where there are too many. *at
// is the caller's to free; -1 without memory.
int cd_find_time_discontinuities(cardan_data* d, double start, double end, double output_interval,
                                 cd_time_interval** intervals, cardan_report* report);
