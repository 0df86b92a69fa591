// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/events/discontinuities.h"

#include "simulation/events/impulse.h"
#include "simulation/events/time_discontinuities.h"
#include "simulation/simulation.h"

#include <math.h>
#include <stdlib.h>

static const double roundoff_steps = 64; // smallest steps: times this close are equal up to round-off

// ---- list of all discontinuities

// Append an interval; overlapping intervals are merged.
static void append_time(cd_discontinuity_times* list, cd_time_interval interval, bool velocity_jumps)
{
    cd_discontinuity_time* last = list->count > 0 ? &list->item[list->count - 1] : NULL;
    if (!last || interval.t_before > last->after) {
        list->item[list->count++] = (cd_discontinuity_time){interval.t_before, interval.t_after, velocity_jumps};
        return;
    }
    last->after = fmax(last->after, interval.t_after);
    last->velocity_jumps |= velocity_jumps;
}

static bool merge_times(cd_discontinuity_times* list, int nvelocity, const cd_time_interval* velocity_interval,
                        int nacceleration, const cd_time_interval* acceleration_interval)
{
    int i = 0, j = 0;
    if (nvelocity + nacceleration == 0) return true;
    list->item = cd_allocate((size_t)nvelocity + (size_t)nacceleration, sizeof *list->item);
    if (!list->item) return false;
    while (i < nvelocity || j < nacceleration) {
        const bool velocity_jumps =
            j == nacceleration || (i < nvelocity && velocity_interval[i].t_before < acceleration_interval[j].t_before);
        append_time(list, velocity_jumps ? velocity_interval[i++] : acceleration_interval[j++], velocity_jumps);
    }
    return true;
}

cardan_status cd_discontinuity_times_find(cd_discontinuity_times* list, const cd_driver_domain* domain, cardan_data* d,
                                          const cardan_run_settings* run, cardan_report* report)
{
    cd_time_interval* acceleration_interval = NULL;
    const int         nacceleration =
        cd_find_time_discontinuities(d, run->start, run->end, run->output_interval, &acceleration_interval, report);
    *list           = (cd_discontinuity_times){0};
    const bool good = nacceleration >= 0 && merge_times(list, domain->nvelocity_jump, domain->velocity_jump,
                                                        nacceleration, acceleration_interval);
    free(acceleration_interval);
    if (good) return CARDAN_OK;
    return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                       "out of memory for the formulas of the run");
}

void cd_discontinuity_times_release(cd_discontinuity_times* list)
{
    free(list->item);
    *list = (cd_discontinuity_times){0};
}

// ---- queries during the run

// Index of the first interval that ends after t.
static int next_index(const cd_discontinuity_times* list, double t)
{
    int low = 0, high = list->count;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (list->item[middle].after > t)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

double cd_discontinuity_step_limit(const cd_discontinuity_times* list, double t)
{
    const int i = next_index(list, t);
    if (i == list->count) return INFINITY;
    return list->item[i].before > t ? list->item[i].before : list->item[i].after;
}

double cd_discontinuity_time_after(const cd_discontinuity_times* list, double t)
{
    const int i = next_index(list, t);
    return i < list->count && list->item[i].before <= t ? list->item[i].after : t;
}

double cd_discontinuity_time_before(const cd_discontinuity_times* list, double t)
{
    const int i = next_index(list, t) - 1;
    return i >= 0 && list->item[i].after == t ? list->item[i].before : t;
}

cd_discontinuity_kind cd_discontinuity_cross(const cd_discontinuity_times* list, double min_step, double* t)
{
    cd_discontinuity_kind crossed = CD_DISCONTINUITY_NONE;
    for (int i = next_index(list, *t); i < list->count && *t >= list->item[i].before - roundoff_steps * min_step; ++i) {
        *t = list->item[i].after;
        if (crossed != CD_DISCONTINUITY_VELOCITY)
            crossed = list->item[i].velocity_jumps ? CD_DISCONTINUITY_VELOCITY : CD_DISCONTINUITY_ACCELERATION;
    }
    return crossed;
}

void cd_warn_impulse_near_singular(double t, cardan_report* report)
{
    cardan_warn(report, CARDAN_CODE_DRIVER_VELOCITY_DISCONTINUITY, cardan_location_none(),
                "at t = %.9g s the rate of a driver function is discontinuous near a singular configuration, where the "
                "impulse is ill-conditioned: compare other formulations, or make the driver function smooth there",
                t);
}

// ---- crossing in a run

// Apply the velocity jump of a driver function at x.
static cardan_status apply_velocity_jump(cd_simulation* s, bool near_singular)
{
    double              work;
    const cardan_status status = cd_apply_impulse(&s->system, &s->x, &work, s->report);
    if (status) return status;
    if (near_singular) cd_warn_impulse_near_singular(s->x.t, s->report);
    s->step.needs_projection = false;
    return cd_monitors_start(s, CD_START_VELOCITY_JUMP);
}

// Samples at the time of a discontinuity have the values after it. A violation that was deferred to the next step is
// removed before, however short that step is.
cardan_status cd_cross_discontinuity(cd_simulation* s)
{
    cardan_status status = CARDAN_OK;
    if (s->discontinuities.count == 0 || s->summary->stop_condition_met) return CARDAN_OK;
    const bool                  near_singular = cd_is_near_singular(&s->system);
    const cd_discontinuity_kind crossed =
        cd_discontinuity_cross(&s->discontinuities, cd_min_step(&s->system, s->x.t), &s->x.t);
    if (crossed == CD_DISCONTINUITY_NONE) return CARDAN_OK;
    if (crossed == CD_DISCONTINUITY_VELOCITY)
        status = apply_velocity_jump(s, near_singular);
    else if (s->step.needs_projection)
        status = cd_stabilize_reported(s, &s->x);
    if (!status) status = cd_output_samples(s, s->x.t);
    if (!status) status = cd_monitors_start(s, CD_START_DISCONTINUITY);
    return status ? status : cd_start_integrator(s);
}
