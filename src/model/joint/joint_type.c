// SPDX-License-Identifier: BSD-3-Clause
#include "model/joint/joint_type.h"

#include <string.h>

#define CD_JOINT_TYPE(name) extern const cd_joint_type cd_joint_##name;
#include "model/joint/joint_types.def"
#undef CD_JOINT_TYPE

static const cd_joint_type* const joint_types[] = {
#define CD_JOINT_TYPE(name) &cd_joint_##name,
#include "model/joint/joint_types.def"
#undef CD_JOINT_TYPE
};

int                  cd_joint_type_count(void) { return (int)(sizeof joint_types / sizeof *joint_types); }
const cd_joint_type* cd_joint_type_at(int i) { return joint_types[i]; }

const cd_joint_type* cd_joint_type_find(const char* name)
{
    for (int i = 0; i < cd_joint_type_count(); ++i)
        if (strcmp(joint_types[i]->name, name) == 0) return joint_types[i];
    return NULL;
}

static const struct motion_entry {
    int         nq, nv;
    const char *q_unit[2], *v_unit[2]; // of the first three components, of the others
} motions[] = {
    [CD_REVOLUTE]           = {1, 1, {"rad", ""}, {"rad/s", ""}},
    [CD_PRISMATIC]          = {1, 1, {"m", ""}, {"m/s", ""}},
    [CD_SCREW]              = {1, 1, {"rad", ""}, {"rad/s", ""}},
    [CD_SPHERICAL]          = {4, 3, {"1", "1"}, {"rad/s", ""}},
    [CD_FREE]               = {7, 6, {"m", "1"}, {"m/s", "rad/s"}},
    [CD_SPHERICAL_REVERSED] = {4, 3, {"1", "1"}, {"rad/s", ""}},
    [CD_FREE_REVERSED]      = {7, 6, {"m", "1"}, {"m/s", "rad/s"}},
};

int         cd_motion_nq(cd_elementary_motion motion) { return motions[motion].nq; }
int         cd_motion_nv(cd_elementary_motion motion) { return motions[motion].nv; }
const char* cd_motion_q_unit(cd_elementary_motion motion, int i) { return motions[motion].q_unit[i >= 3]; }
const char* cd_motion_v_unit(cd_elementary_motion motion, int i) { return motions[motion].v_unit[i >= 3]; }

bool cd_motion_is_rotation(cd_elementary_motion motion, int i)
{
    if (motion == CD_FREE || motion == CD_FREE_REVERSED) return i >= 3;
    return motion != CD_PRISMATIC;
}
