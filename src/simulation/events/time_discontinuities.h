// SPDX-License-Identifier: BSD-3-Clause
// Discontinuities of formulas that depend on time alone, such as switches and pulses.
//
// They are searched on a grid of some thousandths of the run; shorter pulses may be missed.
#pragma once

#include "driver/driver_breakpoints.h"

// Decide whether a node of the description's graph depends on time and on no other variable quantity. depends_on
// (nsignal + 1): scratch. Returns CARDAN_NO_MEMORY if memory is exhausted.
cardan_status cd_depends_on_time_only(const cardan_model* m, int node, bool* depends_on, bool* is_time_only);

// Decide whether formulas of the model have discontinuities that depend on time only. Returns false if memory is
// exhausted.
bool cd_has_time_discontinuities(const cardan_model* m, bool* has_any);

// Find the discontinuities of forces, user states and driver accelerations in [start, end], sorted, together with
// times that differ from them by round-off only, such as sample times; output_interval [s]. Warns if there are too
// many. The caller frees *intervals. Returns their number, -1 if memory is exhausted.
int cd_find_time_discontinuities(cardan_data* d, double start, double end, double output_interval,
                                 cd_time_interval** intervals, cardan_report* report);
