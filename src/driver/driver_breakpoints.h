// SPDX-License-Identifier: BSD-3-Clause
// Where laws of motion break off: no number is there, they jump, or the length of a rod becomes zero. No motion goes on
// beyond.
#pragma once

#include "dynamics/data.h"

typedef struct cd_driver_breakpoint {
    int    driver; // number of the law of motion
    double t_before,
        t_after;  // [s] the last time at which it is sound, or the first at which it is not; the next behind it
    int    order; // what breaks: 0 the value, 1 the rate, 2 the acceleration
    double value_before, value_after; // it there, and just after; `after` is no finite number, or a jump away
    bool   length_vanishes;           // a length that becomes zero at `zero`; t is shortly before
    double t_zero;                    // [s]
} cd_driver_breakpoint;

// The first break of a law between two times, of value or rate where the latter is asked for. *found: whether there is
// one. False without memory.
bool cd_find_driver_breakpoint(cardan_data* d, double from, double to, cd_driver_breakpoint* first, bool* found);

// The sentence for it; at the start nothing comes before.
cardan_status cd_fail_driver_breakpoint(const cardan_data* d, const cd_driver_breakpoint* b, cardan_status status,
                                        cardan_report* report);
// Laws at the time of the data: CARDAN_BAD_INPUT and its sentence for the first that is no finite number.
cardan_status cd_check_drivers(cardan_data* d, cardan_report* report);
// A rate jumps between two times beside each other, at which it is what it was and what it will be.
typedef struct cd_time_interval {
    double t_before, t_after; // [s]
} cd_time_interval;

// Rates that jump between two times, in their order, and a warning for every law that has such behind the first: forces
// are infinite for an instant there. *at is the caller's to free; -1 without memory. They are looked for until a law
// `ended`: between numbers its acceleration is infinite for an instant.
int cd_find_driver_velocity_jumps(cardan_data* d, double from, double to, cd_time_interval** jumps,
                                  cd_driver_breakpoint* breakpoint, bool* ended, cardan_report* report);
// Warns of markers that are led round corners of their curves, with `corners`, for those who do not step over them;
// and of those that are led beyond the ends.
void cd_warn_driven_curves(cardan_data* d, double from, double to, bool corners, cardan_report* report);
