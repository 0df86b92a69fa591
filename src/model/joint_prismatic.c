// SPDX-License-Identifier: BSD-3-Clause
// Prismatic joint: slider along z of the joint frame.
#include "model/joint_type.h"

static int steps(const cardan_joint* joint, cd_step step[CARDAN_JOINT_MAX])
{
    (void)joint;
    step[0] = (cd_step){.motion = CD_SLIDE, .axis = {0, 0, 1}};
    return 1;
}

const cd_joint_type cd_joint_prismatic = {
    .name        = "prismatic",
    .summary     = "slider along z of the joint frame",
    .coordinates = "displacement [m]",
    .locks       = CD_LOCK_X | CD_LOCK_Y | CD_LOCK_RX | CD_LOCK_RY | CD_LOCK_RZ,
    .steps       = steps,
};
