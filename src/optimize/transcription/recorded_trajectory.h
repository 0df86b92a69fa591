// SPDX-License-Identifier: BSD-3-Clause
// Recorded trajectory of the mechanism from a results file, as initial guess: of `run`, or of a previous optimization.
// Values between samples are interpolated linearly, except efforts, which are piecewise constant. Time is given as a
// fraction 0..1 of the duration.
#pragma once

#include <cardan/model.h>
#include <cardan/status.h>

typedef enum cd_trajectory_channel {
    CD_CHANNEL_Q,
    CD_CHANNEL_V,
    CD_CHANNEL_A,
    CD_CHANNEL_CONTROL,
    CD_CHANNEL_EFFORT,
    CD_CHANNEL_COUNT
} cd_trajectory_channel;

typedef struct cd_recorded_trajectory cd_recorded_trajectory;

// Read columns t and JOINT.q, .v, .a, .control, .effort; some may be absent, one JOINT.q is required. `location` is
// that of the file name in the task.
cardan_status cd_recorded_trajectory_read(const cardan_model* model, const char* path, cardan_location location,
                                          cd_recorded_trajectory** trajectory, cardan_report* report);
void          cd_recorded_trajectory_destroy(cd_recorded_trajectory* trajectory);
double        cd_recorded_trajectory_duration(const cd_recorded_trajectory* trajectory); // [s]
// Get coordinate i (of q) or velocity i (of the others); returns false, with the value unchanged, if the file does not
// contain it or trajectory is NULL.
bool cd_recorded_trajectory_value(const cd_recorded_trajectory* trajectory, cd_trajectory_channel channel, int i,
                                  double fraction, double* value);
