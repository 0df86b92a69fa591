// SPDX-License-Identifier: BSD-3-Clause
// Fixed joint: welds two bodies together; they move as one.
#include "model/joint_type.h"

static int steps(const cardan_joint* joint, cd_step step[CARDAN_JOINT_MAX])
{
    (void)joint, (void)step;
    return 0;
}

const cd_joint_type cd_joint_fixed = {
    .name        = "fixed",
    .summary     = "welds two bodies together; they move as one",
    .coordinates = "no coordinates",
    .locks       = CD_LOCK_X | CD_LOCK_Y | CD_LOCK_Z | CD_LOCK_RX | CD_LOCK_RY | CD_LOCK_RZ,
    .steps       = steps,
};
