// SPDX-License-Identifier: BSD-3-Clause
// Instants at which what moves a mechanism jumps, known before the run begins. Steps of every method end there, and
// begin anew behind; rows at that very instant are rows behind it.
//
// Rates of laws of motion jump as that of a table does between two straight pieces. No error of a step tells of them:
// gaps that the law leaves are closed behind it, at another pose and by another force than theirs. So there is a blow
// (impulse.h), and what energy comes or goes with it is work of the driver.
//
// Formulas of forces, and accelerations of laws, jump as switches and pulses do (time_discontinuities.h). A step across would
// take a part of its way by the wrong force, and where it is fixed nothing would tell.
#pragma once

#include "simulation/events/driver_domain.h"
#include "simulation/ode/ode_system.h"

typedef struct cd_discontinuity_time {
    double before, after;  // [s] everything is what it was, and what it will be
    bool   velocity_jumps; // the rate of a law jumps, and velocities with it
} cd_discontinuity_time;

typedef struct cd_discontinuity_times {
    cd_discontinuity_time* item; // (count) in their order, apart from each other
    int                    count;
} cd_discontinuity_times;

typedef enum cd_discontinuity_kind {
    CD_DISCONTINUITY_NONE,
    CD_DISCONTINUITY_ACCELERATION,
    CD_DISCONTINUITY_VELOCITY
} cd_discontinuity_kind;

// All of a run; to be released in any case.
cardan_status cd_discontinuity_times_find(cd_discontinuity_times* list, const cd_driver_domain* domain, cardan_data* d,
                                          const cardan_run* run, cardan_report* report);
void          cd_discontinuity_times_release(cd_discontinuity_times* list);
// The first time behind t at which a step has to end; INFINITY: none.
double cd_discontinuity_step_limit(const cd_discontinuity_times* list, double t);
// t, or the end of the instant that it is in; t, or the beginning of the instant that ends there: rows in between are
// rows behind.
double cd_discontinuity_time_after(const cd_discontinuity_times* list, double t);
double cd_discontinuity_time_before(const cd_discontinuity_times* list, double t);
// What jumps where a step has come to, `least` [s] being no step any more: *t is behind it then.
cd_discontinuity_kind cd_discontinuity_cross(const cd_discontinuity_times* list, double min_step, double* t);
// Where a rate jumps at t and the pose is all but singular.
void cd_warn_impulse_near_singular(double t, cardan_report* report);
