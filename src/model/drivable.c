// SPDX-License-Identifier: BSD-3-Clause
// Drivable coordinates: a coordinate gets a driver function, zero, whose constraint data disable until it is driven.
#include "model/description.h"

#include "core/check_arguments.h"
#include "core/memory.h"
#include "model/joint/joint_type.h"

#include <cardan/interact.h>
#include <stdlib.h>
#include <string.h>

bool cd_is_drivable(const cardan_description* d, int joint, int axis)
{
    return cd_is_index(joint, d->ndrivable) && axis >= 0 && d->drivable[joint] >> axis & 1;
}

// Number of velocities of a joint; *has_coordinate: whether velocity `axis` is the rate of a coordinate of its own.
static int count_velocities(const cardan_joint* joint, int axis, bool* has_coordinate)
{
    cd_elementary_joint  element[CARDAN_JOINT_VELOCITIES_MAX];
    const cd_joint_type* type = cd_joint_type_find(joint->type);
    const int            n    = type ? type->elementary_joints(joint, element) : 0;
    int                  nv   = 0;
    *has_coordinate           = false;
    for (int i = 0; i < n; ++i) {
        const int count = cd_motion_nv(element[i].motion);
        if (axis == nv && count == 1) *has_coordinate = true;
        nv += count;
    }
    return nv;
}

static cardan_status no_memory(const cardan_description* d, cardan_report* report)
{
    return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                       "out of memory for the drivable coordinates of '%s'", d->name);
}

// Extend the list of drivable coordinates to all joints of the description.
static bool extend_list(cardan_description* d)
{
    if (d->ndrivable >= d->njoint) return true;
    unsigned char* list = cd_allocate((size_t)d->njoint, sizeof *list);
    if (!list) return false;
    if (d->ndrivable > 0) memcpy(list, d->drivable, (size_t)d->ndrivable * sizeof *list);
    free(d->drivable);
    d->drivable  = list;
    d->ndrivable = d->njoint;
    return true;
}

static cardan_status add_driver(cardan_description* d, int joint, int axis, int nv, cardan_report* report)
{
    const cardan_joint* j = &d->joint[joint];
    cardan_expression   driver[CARDAN_JOINT_VELOCITIES_MAX];
    for (int i = 0; i < nv; ++i) driver[i] = i < j->ndriver ? j->driver[i] : CARDAN_NONE;
    driver[axis] = cardan_description_add_constant(d, 0);
    if (driver[axis] == CARDAN_NONE || !extend_list(d) || !cardan_description_set_joint_drivers(d, joint, nv, driver))
        return no_memory(d, report);
    d->drivable[joint] = (unsigned char)(d->drivable[joint] | 1U << axis);
    return CARDAN_OK;
}

static cardan_status make_all_drivable(cardan_description* d, cardan_report* report)
{
    cardan_status status = CARDAN_OK;
    for (int j = 0; j < d->njoint && status == CARDAN_OK; ++j) {
        bool      has_coordinate;
        const int nv = count_velocities(&d->joint[j], 0, &has_coordinate);
        if (nv == 1 && has_coordinate && d->joint[j].ndriver == 0) status = add_driver(d, j, 0, 1, report);
    }
    return status;
}

cardan_status cardan_description_make_drivable(cardan_description* d, int joint, int axis, cardan_report* report)
{
    CD_REQUIRE_POINTER(d, "description", report);
    if (joint == CARDAN_NONE && axis == 0) return make_all_drivable(d, report);
    CD_REQUIRE_INDEX(joint, d->njoint, "joint", report);
    CD_REQUIRE_INDEX(axis, CARDAN_JOINT_VELOCITIES_MAX, "axis", report);
    if (cd_is_drivable(d, joint, axis)) return CARDAN_OK;
    const cardan_joint* j = &d->joint[joint];
    bool                has_coordinate;
    const int           nv = count_velocities(j, axis, &has_coordinate);
    if (!has_coordinate)
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_ARGUMENT, j->location,
                           "joint '%s' of type '%s' has no coordinate for its velocity %d that can be driven", j->name,
                           j->type, axis + 1);
    if (axis < j->ndriver && j->driver[axis] != CARDAN_NONE)
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_ARGUMENT, j->location,
                           "coordinate %d of joint '%s' has a driver function and cannot be made drivable", axis + 1,
                           j->name);
    return add_driver(d, joint, axis, nv, report);
}
