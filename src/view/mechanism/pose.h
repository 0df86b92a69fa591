// SPDX-License-Identifier: BSD-3-Clause
// Inverse kinematics while the simulation is paused: move the mechanism so that a point or a coordinate reaches a
// target, with all constraints and limits kept.
#pragma once

#include "view/mechanism/live_model.h"

// A point of a body and its target.
typedef struct cd_pose_target {
    int    body;
    double point[3];  // body frame
    double target[3]; // world
} cd_pose_target;

typedef struct cd_pose_result {
    double error;       // [m, rad] distance to the first target that is left
    int    limit_joint; // joint whose limit stops the motion, or CARDAN_NONE
} cd_pose_result;

// Move the first of `ntarget` points (at most CARDAN_GRABS_MAX) towards its target, while the others stay at theirs. The
// state of the model becomes the result, at rest.
cardan_status cd_pose_points(cd_live_model* m, int ntarget, const cd_pose_target* target, cd_pose_result* result,
                             cardan_report* report);
// Move a coordinate of a joint of one coordinate towards a value.
cardan_status cd_pose_coordinate(cd_live_model* m, int joint, double value, cd_pose_result* result,
                                 cardan_report* report);
// Set unit efforts along the coordinate of a joint of one coordinate as wrenches on its two bodies, m->wrench, at the poses
// of the model; scaled by `effort`, added to those that are there.
void cd_pose_add_effort(cd_live_model* m, int joint, double effort);
// Accelerations `a` (nv) due to m->wrench, and forces of the mechanism, at the state of the data.
cardan_status cd_pose_respond(cd_live_model* m, double* a, cardan_report* report);
