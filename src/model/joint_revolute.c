// SPDX-License-Identifier: BSD-3-Clause
// Revolute joint: hinge about z of the joint frame.
#include "model/joint_type.h"

static int steps(const cardan_joint* joint, cd_step step[CARDAN_JOINT_MAX])
{
    (void)joint;
    step[0] = (cd_step){.motion = CD_HINGE, .axis = {0, 0, 1}};
    return 1;
}

const cd_joint_type cd_joint_revolute = {
    .name        = "revolute",
    .summary     = "hinge about z of the joint frame",
    .coordinates = "angle [rad]",
    .locks       = CD_LOCK_X | CD_LOCK_Y | CD_LOCK_Z | CD_LOCK_RX | CD_LOCK_RY,
    .steps       = steps,
};
