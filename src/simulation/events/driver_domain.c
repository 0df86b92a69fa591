// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/events/driver_domain.h"
#include "simulation/simulation_tolerances.h"

#include <stdlib.h>

static cardan_status fail_no_memory(cardan_report* report)
{
    return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                       "out of memory for the driver functions of the run");
}

cardan_status cd_driver_domain_find(cd_driver_domain* domain, cardan_data* d, cardan_run_settings* run,
                                    cardan_report* report)
{
    *domain = (cd_driver_domain){0};
    if (run->driver_callback) return CARDAN_OK; // the callback sets the driver values
    if (!cd_find_driver_breakpoint(d, run->start, run->end, &domain->breakpoint, &domain->has_breakpoint))
        return fail_no_memory(report);
    const double         near_interval = cd_domain_end_fraction * (run->end - run->start);
    const double         last = domain->has_breakpoint ? domain->breakpoint.t_before - near_interval : run->end;
    cd_driver_breakpoint first_accumulation;
    bool                 accumulates;
    domain->nvelocity_jump = cd_find_driver_velocity_jumps(d, run->start, last, &domain->velocity_jump,
                                                           &first_accumulation, &accumulates, report);
    if (domain->nvelocity_jump < 0) return fail_no_memory(report);
    if (accumulates) domain->breakpoint = first_accumulation;
    domain->has_breakpoint = domain->has_breakpoint || accumulates;
    if (!domain->has_breakpoint) return CARDAN_OK;
    if (!(domain->breakpoint.t_before > run->start))
        return cd_fail_driver_breakpoint(d, &domain->breakpoint, CARDAN_BAD_INPUT, report);
    domain->near_interval = near_interval;
    run->end              = domain->breakpoint.t_before;
    return CARDAN_OK;
}

void cd_driver_domain_release(cd_driver_domain* domain)
{
    free(domain->velocity_jump);
    *domain = (cd_driver_domain){0};
}

bool cd_driver_domain_report_failure(const cd_driver_domain* domain, const cardan_data* d, double t,
                                     cardan_status status, cardan_report* report)
{
    if (!cd_driver_domain_is_near_end(domain, t) || status == CARDAN_NO_MEMORY || status == CARDAN_STOPPED)
        return false;
    cd_fail_driver_breakpoint(d, &domain->breakpoint, status, report);
    return true;
}

cardan_status cd_driver_domain_final_status(const cd_driver_domain* domain, cardan_data* d, cardan_status status,
                                            bool stop_condition_met, cardan_report* report)
{
    if (status != CARDAN_OK || stop_condition_met || !domain->has_breakpoint) return status;
    return cd_fail_driver_breakpoint(d, &domain->breakpoint, CARDAN_NOT_CONVERGED, report);
}
