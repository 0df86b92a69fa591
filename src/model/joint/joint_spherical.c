// SPDX-License-Identifier: BSD-3-Clause
// Spherical joint: any rotation about the joint position.
#include "model/joint/joint_type.h"

static int elementary_joints(const cardan_joint* joint, cd_elementary_joint elementary[CARDAN_JOINT_VELOCITIES_MAX])
{
    (void)joint;
    elementary[0] = (cd_elementary_joint){.motion = CD_SPHERICAL};
    return 1;
}

const cd_joint_type cd_joint_spherical = {
    .name    = "spherical",
    .summary = "ball joint: rotation about the origin of the joint frame",
    .coordinates =
        "quaternion (scalar first); v is the relative angular velocity in the axes of the joint frame on the "
        "second body",
    .locked            = CD_LOCK_X | CD_LOCK_Y | CD_LOCK_Z,
    .elementary_joints = elementary_joints,
};
