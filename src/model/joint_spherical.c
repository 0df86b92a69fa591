// SPDX-License-Identifier: BSD-3-Clause
// Spherical joint: ball: turns every way about the joint's point.
#include "model/joint_type.h"

static int steps(const cardan_joint* joint, cd_step step[CARDAN_JOINT_MAX])
{
    (void)joint;
    step[0] = (cd_step){.motion = CD_BALL};
    return 1;
}

const cd_joint_type cd_joint_spherical = {
    .name        = "spherical",
    .summary     = "ball: turns every way about the joint's point",
    .coordinates = "quaternion (scalar first); v is the relative angular velocity in the axes of the joint frame on the "
                   "second body",
    .locks       = CD_LOCK_X | CD_LOCK_Y | CD_LOCK_Z,
    .steps       = steps,
};
