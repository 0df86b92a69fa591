// SPDX-License-Identifier: BSD-3-Clause
// Universal joint: Hooke's joint: about an axis of the first body, then about an axis of the second.
#include "model/joint_type.h"

#include <string.h>

static int steps(const cardan_joint* joint, cd_step step[CARDAN_JOINT_MAX])
{
    static const double usual[2][3] = {{1, 0, 0}, {0, 1, 0}};
    for (int i = 0; i < 2; ++i) {
        step[i] = (cd_step){.motion = CD_HINGE};
        memcpy(step[i].axis, joint->nstep == 2 ? joint->step[i].axis : usual[i], sizeof step[i].axis);
    }
    return 2;
}

const cd_joint_type cd_joint_universal = {
    .name        = "universal",
    .summary     = "Hooke's joint: about an axis of the first body, then about an axis of the second",
    .coordinates = "two angles [rad]",
    .locks       = CD_LOCK_X | CD_LOCK_Y | CD_LOCK_Z | CD_LOCK_RZ,
    .steps       = steps,
};
