// SPDX-License-Identifier: BSD-3-Clause
// A recorded motion: coordinates of joints over time, from a CSV file, as smooth functions.
#pragma once

#include "cli/support/mechanism.h"
#include "io/results/results.h"

#include <cardan/kinematics.h>

typedef struct cd_recorded_motion {
    cd_result_table* table;
    const double*    t; // (nrow)
    long             nsample;
    int              ncoordinate; // coordinates recorded
    cardan_motor*    coordinate;  // (n)
    double **        q, **v, **a; // (n)(nrow)
    double*          derived;     // what was not recorded
} cd_recorded_motion;

// What is wrong goes to the report.
cardan_status cd_recorded_motion_open(const char* path, const cd_model_instance* c, cd_recorded_motion* recording,
                                      cardan_report* report);
void          cd_recorded_motion_close(cd_recorded_motion* recording);
// Value, rate and acceleration of coordinate i at time t.
void cd_recorded_motion_evaluate(const cd_recorded_motion* recording, int i, double t, double motion[3]);
