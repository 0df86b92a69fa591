// SPDX-License-Identifier: BSD-3-Clause
// Runs whose laws of motion break off end there, with all results up to it: found before anything is stepped, told when
// it is reached. So are rates that jump, which steps may not pass over (discontinuities.h).
#pragma once

#include "driver/driver_breakpoints.h"

#include <cardan/simulate.h>

typedef struct cd_driver_domain {
    bool                 has_breakpoint;
    cd_driver_breakpoint breakpoint;
    double               near_interval; // [s] before it, failures are its own
    cd_time_interval*    velocity_jump; // (nkink) until then
    int                  nvelocity_jump;
} cd_driver_domain;

// The run ends where a law does; CARDAN_BAD_INPUT, told, where that is at its start. To be released in any case.
cardan_status cd_driver_domain_find(cd_driver_domain* domain, cardan_data* d, cardan_run* run, cardan_report* report);
void          cd_driver_domain_release(cd_driver_domain* domain);
static inline bool cd_driver_domain_is_near_end(const cd_driver_domain* end, double t)
{
    return end->has_breakpoint && end->breakpoint.t_before - t <= end->near_interval;
}
// A failure at t is that of a law, and told: near where it breaks off rates and efforts grow without bound.
bool cd_driver_domain_report_failure(const cd_driver_domain* domain, const cardan_data* d, double t,
                                     cardan_status status, cardan_report* report);
// What a run that ended with this status is to end with.
cardan_status cd_driver_domain_final_status(const cd_driver_domain* domain, cardan_data* d, cardan_status status,
                                            bool stop_condition_met, cardan_report* report);
