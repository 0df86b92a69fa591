// SPDX-License-Identifier: BSD-3-Clause
// Breakpoints of driver functions: the function is not finite, jumps, or a driven length becomes zero. No motion
// continues beyond a breakpoint.
#pragma once

#include "dynamics/data.h"

typedef struct cd_driver_breakpoint {
    int    driver; // number of the driver function
    double t_before,
        t_after;                      // [s] last valid time, or first invalid time; next time behind the breakpoint
    int    order;                     // discontinuous derivative: 0 value, 1 rate, 2 acceleration
    double value_before, value_after; // at t_before and just after; value_after is not finite, or differs by the jump
    bool   length_vanishes;           // a length becomes zero at t_zero; t_before is shortly before
    double t_zero;                    // [s]
} cd_driver_breakpoint;

// Find the first breakpoint of a driver function between two times. *found: whether there is one. Returns false
// if memory is exhausted.
bool cd_find_driver_breakpoint(cardan_data* d, double from, double to, cd_driver_breakpoint* first, bool* found);

// Report a breakpoint; at the start t_before is the start time.
cardan_status cd_fail_driver_breakpoint(const cardan_data* d, const cd_driver_breakpoint* b, cardan_status status,
                                        cardan_report* report);
// Check the driver functions at the time of the data. Returns CARDAN_BAD_INPUT and reports the first that is not
// finite, or a driven length that is not positive.
cardan_status cd_check_drivers(cardan_data* d, cardan_report* report);
// Adjacent times between which a rate jumps.
typedef struct cd_time_interval {
    double t_before, t_after; // [s]
} cd_time_interval;

// Find all jumps of driver rates between two times, in order, and warn once for every driver function with jumps
// after the start: forces are impulsive there. The caller frees *jumps; returns their number, or -1 if memory is
// exhausted. The search ends at a breakpoint (*ended), where a function is not finite, or its acceleration is infinite
// at one time.
int cd_find_driver_velocity_jumps(cardan_data* d, double from, double to, cd_time_interval** jumps,
                                  cd_driver_breakpoint* breakpoint, bool* ended, cardan_report* report);
// Warn about markers driven around corners of their curves (if corners, for callers that do not step over them) and
// about markers driven beyond the ends.
void cd_warn_driven_curves(cardan_data* d, double from, double to, bool corners, cardan_report* report);
