// SPDX-License-Identifier: BSD-3-Clause
// Free joint: holds nothing.
#include "model/joint_type.h"

static int steps(const cardan_joint* joint, cd_step step[CARDAN_JOINT_MAX])
{
    (void)joint;
    step[0] = (cd_step){.motion = CD_FLOAT};
    return 1;
}

const cd_joint_type cd_joint_free = {
    .name        = "free",
    .summary     = "holds nothing",
    .coordinates = "position [m], quaternion (scalar first); v: velocity in the axes of the joint frame on the first "
                   "body, angular velocity in those of the joint frame on the second",
    .locks       = 0,
    .steps       = steps,
};
