// SPDX-License-Identifier: BSD-3-Clause
// Driver domain: a run whose driver functions have a breakpoint ends there, with all results up to it. The breakpoint
// is found before the first step and reported when it is reached. Velocity jumps of drivers, at which steps must end
// (discontinuities.h), are found at the same time.
#pragma once

#include "driver/driver_breakpoints.h"

#include <cardan/simulate.h>

typedef struct cd_driver_domain {
    bool                 has_breakpoint;
    cd_driver_breakpoint breakpoint;
    double               near_interval; // [s] failures in this interval before it are attributed to it
    cd_time_interval*    velocity_jump; // (nvelocity_jump) up to the breakpoint
    int                  nvelocity_jump;
} cd_driver_domain;

// Find the first breakpoint and end the run there. Returns CARDAN_BAD_INPUT, reported, if it is at the start. Release
// the object in any case.
cardan_status      cd_driver_domain_find(cd_driver_domain* domain, cardan_data* d, cardan_run_settings* run,
                                         cardan_report* report);
void               cd_driver_domain_release(cd_driver_domain* domain);
static inline bool cd_driver_domain_is_near_end(const cd_driver_domain* end, double t)
{
    return end->has_breakpoint && end->breakpoint.t_before - t <= end->near_interval;
}
// Report a failure at t as one of the driver function if t is near the breakpoint, where rates and efforts grow
// without bound; returns whether it did.
bool cd_driver_domain_report_failure(const cd_driver_domain* domain, const cardan_data* d, double t,
                                     cardan_status status, cardan_report* report);
// Final status of a run that ended with `status`.
cardan_status cd_driver_domain_final_status(const cd_driver_domain* domain, cardan_data* d, cardan_status status,
                                            bool stop_condition_met, cardan_report* report);
