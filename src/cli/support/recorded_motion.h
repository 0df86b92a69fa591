// SPDX-License-Identifier: BSD-3-Clause
// Recorded motion: joint coordinates over time from a CSV file, interpolated twice continuously differentiable.
#pragma once

#include "cli/support/loaded_model.h"
#include "io/results/results.h"

#include <cardan/kinematics.h>

typedef struct cd_recorded_motion {
    cd_result_table* table;
    const double*    t; // (nsample) [s]
    long             nsample;
    int              ncoordinate; // number of recorded coordinates
    cardan_motor*    coordinate;  // (ncoordinate)
    double **        q, **v, **a; // (ncoordinate)(nsample)
    double*          derived;     // values computed by differentiation
} cd_recorded_motion;

// Read the file and match its columns with joint coordinates. Errors go to the report.
cardan_status cd_recorded_motion_open(const char* path, const cd_model_instance* c, cd_recorded_motion* recording,
                                      cardan_report* report);
void          cd_recorded_motion_close(cd_recorded_motion* recording);
// Evaluate value, rate and acceleration of coordinate i at time t.
void cd_recorded_motion_evaluate(const cd_recorded_motion* recording, int i, double t, double motion[3]);
