// SPDX-License-Identifier: BSD-3-Clause
// Fixed joint: welds two bodies to one link.
#include "model/joint/joint_type.h"

static int elementary_joints(const cardan_joint* joint, cd_elementary_joint elementary[CARDAN_JOINT_VELOCITIES_MAX])
{
    (void)joint, (void)elementary;
    return 0;
}

const cd_joint_type cd_joint_fixed = {
    .name              = "fixed",
    .summary           = "rigid connection of two bodies",
    .coordinates       = "no coordinates",
    .locked            = CD_LOCK_X | CD_LOCK_Y | CD_LOCK_Z | CD_LOCK_RX | CD_LOCK_RY | CD_LOCK_RZ,
    .elementary_joints = elementary_joints,
};
