// SPDX-License-Identifier: BSD-3-Clause
// Planar joint: translation in the plane normal to z of the joint frame and rotation about z.
#include "model/joint/joint_type.h"

static int elementary_joints(const cardan_joint* joint, cd_elementary_joint elementary[CARDAN_JOINT_VELOCITIES_MAX])
{
    (void)joint;
    elementary[0] = (cd_elementary_joint){.motion = CD_PRISMATIC, .axis = {1, 0, 0}};
    elementary[1] = (cd_elementary_joint){.motion = CD_PRISMATIC, .axis = {0, 1, 0}};
    elementary[2] = (cd_elementary_joint){.motion = CD_REVOLUTE, .axis = {0, 0, 1}};
    return 3;
}

const cd_joint_type cd_joint_planar = {
    .name              = "planar",
    .summary           = "translation in the xy plane of the joint frame and rotation about z",
    .coordinates       = "x [m], y [m], angle [rad]",
    .locked            = CD_LOCK_Z | CD_LOCK_RX | CD_LOCK_RY,
    .elementary_joints = elementary_joints,
};
