// SPDX-License-Identifier: BSD-3-Clause
// Universal (Hooke's) joint: rotation about an axis of the first body, then about an axis of the second.
#include "model/joint/joint_type.h"

#include <string.h>

static int elementary_joints(const cardan_joint* joint, cd_elementary_joint elementary[CARDAN_JOINT_VELOCITIES_MAX])
{
    static const double default_axis[2][3] = {{1, 0, 0}, {0, 1, 0}};
    for (int i = 0; i < 2; ++i) {
        elementary[i] = (cd_elementary_joint){.motion = CD_REVOLUTE};
        memcpy(elementary[i].axis, joint->nelementary == 2 ? joint->elementary[i].axis : default_axis[i],
               sizeof elementary[i].axis);
    }
    return 2;
}

const cd_joint_type cd_joint_universal = {
    .name              = "universal",
    .summary           = "Hooke's joint: rotation about an axis of the first body, then about an axis of the second",
    .coordinates       = "two angles [rad]",
    .locked            = CD_LOCK_X | CD_LOCK_Y | CD_LOCK_Z | CD_LOCK_RZ,
    .elementary_joints = elementary_joints,
};
