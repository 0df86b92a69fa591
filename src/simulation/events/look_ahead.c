// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/events/look_ahead.h"

#include "simulation/events/time_discontinuities.h"
#include "simulation/simulation.h"

#include <math.h>

// Search a window for breakpoints of driver functions, the first of which ends the run, and for discontinuities.
static cardan_status search(cd_simulation* s, cardan_data* data, double from, double to, cardan_report* report)
{
    cardan_run_settings window = s->run;
    window.start               = from;
    window.end                 = to;
    cd_driver_domain_release(&s->driver_domain);
    cd_discontinuity_times_release(&s->discontinuities);
    cardan_status status = cd_driver_domain_find(&s->driver_domain, data, &window, report);
    if (!status) status = cd_discontinuity_times_find(&s->discontinuities, &s->driver_domain, data, &window, report);
    if (s->driver_domain.has_breakpoint) s->run.end = s->system.settings.t_end = window.end;
    s->look_ahead.from = from;
    s->look_ahead.to   = window.end;
    return status;
}

// Two spans: the next window is searched one span before the end, and no step is that long.
static double window_length(const cd_simulation* s) { return 2 * cd_run_span(&s->run); }

cardan_status cd_look_ahead_start(cd_simulation* s, cardan_data* data)
{
    bool depends_on_time      = false;
    s->look_ahead.t_end_given = s->run.end;
    if (isfinite(s->run.end)) return search(s, data, s->run.start, s->run.end, s->report);
    if (!cd_has_time_discontinuities(data->m, &depends_on_time))
        return cardan_fail(s->report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                           "out of memory for the formulas of the run");
    s->look_ahead.is_endless = depends_on_time || data->m->ndriver_function > 0;
    return search(s, data, s->run.start, s->run.start + window_length(s), s->report);
}

// Warnings about velocity jumps are given for the first window only.
cardan_status cd_look_ahead_restart(cd_simulation* s, double t)
{
    const bool   is_endless = isinf(s->look_ahead.t_end_given);
    const double needed     = s->look_ahead.is_endless ? t + cd_run_span(&s->run) : t;
    if (t >= s->look_ahead.from && (needed <= s->look_ahead.to || s->driver_domain.has_breakpoint)) return CARDAN_OK;
    s->run.end = s->look_ahead.t_end_given;
    return search(s, s->system.data, t, is_endless ? t + window_length(s) : s->run.end, NULL);
}

cardan_status cd_look_ahead_continue(cd_simulation* s)
{
    const double t = s->x.t;
    if (!s->look_ahead.is_endless || s->driver_domain.has_breakpoint || t + cd_run_span(&s->run) < s->look_ahead.to)
        return CARDAN_OK;
    const cardan_status status = search(s, s->system.data, t, t + window_length(s), NULL);
    return status == CARDAN_NO_MEMORY ? cd_fail_run(s, status) : status;
}
