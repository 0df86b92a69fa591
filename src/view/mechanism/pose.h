// SPDX-License-Identifier: BSD-3-Clause
// Inverse kinematics while the simulation is paused: move the mechanism so that a point or a coordinate reaches a
// target, with all constraints and limits kept.
#pragma once

#include "view/live/live_model.h"

typedef struct cd_pose_result {
    double error;       // [m, rad] distance to the target that is left
    int    limit_joint; // joint whose limit stops the motion, or CARDAN_NONE
} cd_pose_result;

// Move a point of a body (body frame) towards a target (world). The state of the model becomes the result, at rest.
cardan_status cd_pose_point(cd_live_model* m, int body, const double point[3], const double target[3],
                            cd_pose_result* result, cardan_report* report);
// Move a coordinate of a joint of one coordinate towards a value.
cardan_status cd_pose_coordinate(cd_live_model* m, int joint, double value, cd_pose_result* result,
                                 cardan_report* report);
