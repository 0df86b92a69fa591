// SPDX-License-Identifier: BSD-3-Clause
// Free joint: six degrees of freedom.
#include "model/joint/joint_type.h"

static int elementary_joints(const cardan_joint* joint, cd_elementary_joint elementary[CARDAN_JOINT_VELOCITIES_MAX])
{
    (void)joint;
    elementary[0] = (cd_elementary_joint){.motion = CD_FREE};
    return 1;
}

const cd_joint_type cd_joint_free = {
    .name        = "free",
    .summary     = "six degrees of freedom, no constraint",
    .coordinates = "position [m], quaternion (scalar first); v: velocity in the axes of the joint frame on the first "
                   "body, angular velocity in those of the joint frame on the second",
    .locked      = 0,
    .elementary_joints = elementary_joints,
};
