// SPDX-License-Identifier: BSD-3-Clause
// Prismatic joint: translation along z of the joint frame.
#include "model/joint/joint_type.h"

static int elementary_joints(const cardan_joint* joint, cd_elementary_joint elementary[CARDAN_JOINT_VELOCITIES_MAX])
{
    (void)joint;
    elementary[0] = (cd_elementary_joint){.motion = CD_PRISMATIC, .axis = {0, 0, 1}};
    return 1;
}

const cd_joint_type cd_joint_prismatic = {
    .name              = "prismatic",
    .summary           = "translation along z of the joint frame",
    .coordinates       = "displacement [m]",
    .locked            = CD_LOCK_X | CD_LOCK_Y | CD_LOCK_RX | CD_LOCK_RY | CD_LOCK_RZ,
    .elementary_joints = elementary_joints,
};
