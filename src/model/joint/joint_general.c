// SPDX-License-Identifier: BSD-3-Clause
// General joint: any sequence of up to six rotations and translations, each about or along a given axis.
#include "model/joint/joint_type.h"

#include <string.h>

static int elementary_joints(const cardan_joint* joint, cd_elementary_joint elementary[CARDAN_JOINT_VELOCITIES_MAX])
{
    for (int i = 0; i < joint->nelementary; ++i) {
        elementary[i] =
            (cd_elementary_joint){.motion = joint->elementary[i].is_translation ? CD_PRISMATIC : CD_REVOLUTE};
        memcpy(elementary[i].axis, joint->elementary[i].axis, sizeof elementary[i].axis);
    }
    return joint->nelementary;
}

const cd_joint_type cd_joint_general = {
    .name              = "general",
    .summary           = "any sequence of up to six rotations and translations, each with its own axis",
    .coordinates       = "one angle [rad] or displacement [m] per step",
    .locked            = 0, // its rows come from its elementary joints
    .elementary_joints = elementary_joints,
};
