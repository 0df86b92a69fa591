// SPDX-License-Identifier: BSD-3-Clause
// A recorded motion: coordinates of joints over time, from a CSV file, as smooth functions.
#pragma once

#include "cli/mechanism.h"
#include "io/results.h"

#include <cardan/kinematics.h>

typedef struct cd_recording {
    cd_result_table* table;
    const double*    t; // (nrow)
    long             nrow;
    int              n;           // coordinates recorded
    cardan_motor*    coordinate;  // (n)
    double **        q, **v, **a; // (n)(nrow)
    double*          owned;       // what was not recorded
} cd_recording;

// What is wrong goes to the report.
cardan_status cd_recording_open(const char* path, const cd_case* c, cd_recording* recording, cardan_report* report);
void          cd_recording_close(cd_recording* recording);
// Value, rate and acceleration of coordinate i at time t.
void cd_recording_at(const cd_recording* recording, int i, double t, double law[3]);
