// SPDX-License-Identifier: BSD-3-Clause
// General joint: any sequence of up to six rotations and translations, each about or along an axis of its own.
#include "model/joint_type.h"

#include <string.h>

static int steps(const cardan_joint* joint, cd_step step[CARDAN_JOINT_MAX])
{
    for (int i = 0; i < joint->nstep; ++i) {
        step[i] = (cd_step){.motion = joint->step[i].translation ? CD_SLIDE : CD_HINGE};
        memcpy(step[i].axis, joint->step[i].axis, sizeof step[i].axis);
    }
    return joint->nstep;
}

const cd_joint_type cd_joint_general = {
    .name        = "general",
    .summary     = "any sequence of up to six rotations and translations, each about or along an axis of its own",
    .coordinates = "one angle [rad] or displacement [m] per step",
    .locks       = 0, // its rows come from its steps
    .steps       = steps,
};
