// SPDX-License-Identifier: BSD-3-Clause
// A motion of the mechanism in results, to start a search from: of `run`, or of a previous plan. Between rows
// everything is linear but efforts, which are held. Its time is told as a share of its duration, 0 to 1.
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

// Columns t and JOINT.q, .v, .a, .control, .effort; some may be absent, one JOINT.q must be there. `place` names the
// file in the task.
cardan_status cd_recorded_trajectory_read(const cardan_model* model, const char* path, cardan_location location,
                                          cd_recorded_trajectory** trajectory, cardan_report* report);
void          cd_recorded_trajectory_destroy(cd_recorded_trajectory* trajectory);
double        cd_recorded_trajectory_duration(const cd_recorded_trajectory* trajectory); // [s]
// Coordinate (of q) or velocity (of the others) number i; false, and the value stays, where the file does not say or
// there is no course.
bool cd_recorded_trajectory_value(const cd_recorded_trajectory* trajectory, cd_trajectory_channel channel, int i,
                                  double fraction, double* value);
