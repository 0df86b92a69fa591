// SPDX-License-Identifier: BSD-3-Clause
// Instants at which what moves a mechanism jumps, known before the run begins. Steps of every method end there, and
// begin anew behind; rows at that very instant are rows behind it.
//
// Rates of laws of motion jump as that of a table does between two straight pieces. No error of a step tells of them:
// gaps that the law leaves are closed behind it, at another pose and by another force than theirs. So there is a blow
// (blow.h), and what energy comes or goes with it is work of the driver.
//
// Formulas of forces, and accelerations of laws, jump as switches and pulses do (jump_times.h). A step across would
// take a part of its way by the wrong force, and where it is fixed nothing would tell.
#pragma once

#include "motion/law_end.h"
#include "motion/system.h"

typedef struct cd_instant {
    double before, after; // [s] everything is what it was, and what it will be
    bool   strikes;       // the rate of a law jumps, and velocities with it
} cd_instant;

typedef struct cd_instants {
    cd_instant* at; // (count) in their order, apart from each other
    int         count;
} cd_instants;

typedef enum cd_passed { CD_NONE_PASSED, CD_FORMULA_PASSED, CD_RATE_PASSED } cd_passed;

// All of a run; to be released in any case.
cardan_status cd_instants_find(cd_instants* list, const cd_law_end* end, cardan_data* d, const cardan_run* run,
                               cardan_report* report);
void          cd_instants_release(cd_instants* list);
// The first time behind t at which a step has to end; INFINITY: none.
double cd_instant_limit(const cd_instants* list, double t);
// t, or the end of the instant that it is in; t, or the beginning of the instant that ends there: rows in between are
// rows behind.
double cd_instant_behind(const cd_instants* list, double t);
double cd_instant_since(const cd_instants* list, double t);
// What jumps where a step has come to, `least` [s] being no step any more: *t is behind it then.
cd_passed cd_instant_pass(const cd_instants* list, double least, double* t);
// Where a rate jumps at t and the pose is all but singular.
void cd_warn_weak_kink(double t, cardan_report* report);
