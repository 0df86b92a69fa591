// SPDX-License-Identifier: BSD-3-Clause
// Times of discontinuities that are found before the run begins. Steps of every method end there, and the integrator
// restarts behind them; output samples at such a time are computed behind it.
//
// Driver velocity jumps: the rate of a driver function jumps, for instance between two linear pieces of a table. The
// error estimate of a step does not detect them: the stabilization would remove the violation afterwards, at another
// configuration and by another force. So an impulse is applied (impulse.h); the change of energy counts as work of
// the driver.
//
// Force expressions and accelerations of driver functions jump at switches and pulses (time_discontinuities.h). A
// step across such a time would use the wrong force on a part of its interval, and fixed-step methods have no error
// estimate.
#pragma once

#include "simulation/events/driver_domain.h"
#include "simulation/ode/ode_system.h"

typedef struct cd_discontinuity_time {
    double before, after;  // [s] last time before, and first time behind the discontinuity
    bool   velocity_jumps; // the rate of a driver function jumps, and velocities with it
} cd_discontinuity_time;

typedef struct cd_discontinuity_times {
    cd_discontinuity_time* item; // (count) sorted, disjoint
    int                    count;
} cd_discontinuity_times;

typedef enum cd_discontinuity_kind {
    CD_DISCONTINUITY_NONE,
    CD_DISCONTINUITY_ACCELERATION,
    CD_DISCONTINUITY_VELOCITY
} cd_discontinuity_kind;

// Find all discontinuities of a run. Release the list in any case.
cardan_status cd_discontinuity_times_find(cd_discontinuity_times* list, const cd_driver_domain* domain, cardan_data* d,
                                          const cardan_run_settings* run, cardan_report* report);
void          cd_discontinuity_times_release(cd_discontinuity_times* list);
// First time after t at which a step must end; INFINITY: none.
double cd_discontinuity_step_limit(const cd_discontinuity_times* list, double t);
// Return t, or the end of the discontinuity interval that contains it; return t, or the start of the interval that
// ends there: samples inside an interval are computed behind it.
double cd_discontinuity_time_after(const cd_discontinuity_times* list, double t);
double cd_discontinuity_time_before(const cd_discontinuity_times* list, double t);
// Kind of the discontinuity at the end *t of a step, within `min_step` [s]; *t becomes the time behind it.
cd_discontinuity_kind cd_discontinuity_cross(const cd_discontinuity_times* list, double min_step, double* t);
// Warn that a velocity jump at t meets a near-singular configuration.
void cd_warn_impulse_near_singular(double t, cardan_report* report);
