// SPDX-License-Identifier: BSD-3-Clause
// Cylindrical joint: turns about and slides along z of the joint frame, independently.
#include "model/joint_type.h"

static int steps(const cardan_joint* joint, cd_step step[CARDAN_JOINT_MAX])
{
    (void)joint;
    step[0] = (cd_step){.motion = CD_HINGE, .axis = {0, 0, 1}};
    step[1] = (cd_step){.motion = CD_SLIDE, .axis = {0, 0, 1}};
    return 2;
}

const cd_joint_type cd_joint_cylindrical = {
    .name        = "cylindrical",
    .summary     = "turns about and slides along z of the joint frame, independently",
    .coordinates = "angle [rad], displacement [m]",
    .locks       = CD_LOCK_X | CD_LOCK_Y | CD_LOCK_RX | CD_LOCK_RY,
    .steps       = steps,
};
