// SPDX-License-Identifier: BSD-3-Clause
// Screw joint: rotation about z of the joint frame with translation pitch * q along it.
#include "model/joint/joint_type.h"

static int elementary_joints(const cardan_joint* joint, cd_elementary_joint elementary[CARDAN_JOINT_VELOCITIES_MAX])
{
    elementary[0] = (cd_elementary_joint){.motion = CD_SCREW, .axis = {0, 0, 1}, .pitch = joint->pitch};
    return 1;
}

const cd_joint_type cd_joint_screw = {
    .name              = "screw",
    .summary           = "rotation about z of the joint frame with proportional translation (pitch)",
    .coordinates       = "angle [rad]",
    .locked            = CD_LOCK_X | CD_LOCK_Y | CD_LOCK_Z | CD_LOCK_RX | CD_LOCK_RY,
    .elementary_joints = elementary_joints,
};
