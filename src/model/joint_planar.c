// SPDX-License-Identifier: BSD-3-Clause
// Planar joint: moves in the plane across z of the joint frame and turns about z.
#include "model/joint_type.h"

static int steps(const cardan_joint* joint, cd_step step[CARDAN_JOINT_MAX])
{
    (void)joint;
    step[0] = (cd_step){.motion = CD_SLIDE, .axis = {1, 0, 0}};
    step[1] = (cd_step){.motion = CD_SLIDE, .axis = {0, 1, 0}};
    step[2] = (cd_step){.motion = CD_HINGE, .axis = {0, 0, 1}};
    return 3;
}

const cd_joint_type cd_joint_planar = {
    .name        = "planar",
    .summary     = "moves in the plane across z of the joint frame and turns about z",
    .coordinates = "x [m], y [m], angle [rad]",
    .locks       = CD_LOCK_Z | CD_LOCK_RX | CD_LOCK_RY,
    .steps       = steps,
};
