// SPDX-License-Identifier: BSD-3-Clause
// Tunables: numbers of a description that can be set by name between analyses: parameters of springs and torsion
// springs, springs of joint axes.
#include "model/description.h"
#include "model/joint/joint_type.h"

#include <cardan/analyse.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PER_FORCE = 3, PER_AXIS = 2 };
static const char* const force_key[PER_FORCE] = {"length", "preload", "stiffness"};
static const char* const axis_key[PER_AXIS]   = {"rest", "stiffness"};

static double* force_value(cardan_force* force, int k)
{
    if (!force->type) return NULL;
    const bool elastic = strcmp(force->type, "spring") == 0 || strcmp(force->type, "torsion") == 0;
    if (!elastic) return NULL;
    if (k == 2) return force->force_table == CARDAN_NONE ? &force->stiffness[0] : NULL;
    return k == 0 ? &force->free_length : &force->preload;
}

// Return whether coordinate `axis` of the joint is an angle.
static bool axis_is_rotation(const cardan_joint* joint, int axis)
{
    const cd_joint_type* type = joint->type ? cd_joint_type_find(joint->type) : NULL;
    cd_elementary_joint  elementary[CARDAN_JOINT_VELOCITIES_MAX];
    const int            n = type ? type->elementary_joints(joint, elementary) : 0;
    for (int s = 0; s < n; ++s) {
        const int nv = cd_motion_nv(elementary[s].motion);
        if (axis < nv) return cd_motion_is_rotation(elementary[s].motion, axis);
        axis -= nv;
    }
    return false;
}

static const char* unit_of_force(const cardan_force* force, int k)
{
    static const char* const unit[2][PER_FORCE] = {{"m", "N", "N/m"}, {"rad", "N m", "N m/rad"}};
    return unit[strcmp(force->type, "torsion") == 0][k];
}

static const char* unit_of_axis(const cardan_joint* joint, int axis, int k)
{
    static const char* const unit[2][PER_AXIS] = {{"m", "N/m"}, {"rad", "N m/rad"}};
    return unit[axis_is_rotation(joint, axis)][k];
}

// Return tunable i, with its name and unit unless these are NULL; NULL if i is too large.
static double* tunable_at(const cardan_description* d, int i, char* name, size_t size, const char** unit)
{
    for (int f = 0; f < d->nforce; ++f)
        for (int k = 0; k < PER_FORCE; ++k) {
            double* value = force_value(&d->force[f], k);
            if (!value || i-- > 0) continue;
            if (name) snprintf(name, size, "%s.%s", d->force[f].name, force_key[k]);
            if (unit) *unit = unit_of_force(&d->force[f], k);
            return value;
        }
    for (int j = 0; j < d->njoint; ++j)
        for (int axis = 0; axis < d->joint[j].naxis; ++axis) {
            cardan_axis_properties* axis_properties =
                (cardan_axis_properties*)&d->joint[j].axis[axis]; // the description owns this array
            for (int k = 0; k < PER_AXIS; ++k) {
                if (axis_properties->stiffness == 0 || i-- > 0) continue;
                char number[16] = "";
                if (axis > 0) snprintf(number, sizeof number, ":%d", axis + 1);
                if (name) snprintf(name, size, "%s%s.%s", d->joint[j].name, number, axis_key[k]);
                if (unit) *unit = unit_of_axis(&d->joint[j], axis, k);
                return k == 0 ? &axis_properties->spring_reference : &axis_properties->stiffness;
            }
        }
    return NULL;
}

int cardan_description_tunable_count(const cardan_description* d)
{
    int count = 0;
    while (d && tunable_at(d, count, NULL, 0, NULL)) ++count;
    return count;
}

bool cardan_description_tunable_name(const cardan_description* d, int i, char* name, int size)
{
    return d && name && size > 0 && i >= 0 && tunable_at(d, i, name, (size_t)size, NULL);
}

static double* find_tunable(const cardan_description* d, const char* name, const char** unit)
{
    char    other[512];
    double* value = NULL;
    for (int i = 0; d && name && (value = tunable_at(d, i, other, sizeof other, unit)); ++i)
        if (strcmp(name, other) == 0) return value;
    return NULL;
}

bool cardan_description_get_tunable(const cardan_description* d, const char* name, double* value)
{
    const double* found = find_tunable(d, name, NULL);
    if (found && value) *value = *found;
    return found && value;
}

const char* cardan_description_tunable_unit(const cardan_description* d, const char* name)
{
    const char* unit = NULL;
    return find_tunable(d, name, &unit) ? unit : NULL;
}

bool cardan_description_set_tunable(cardan_description* d, const char* name, double value)
{
    double* found = find_tunable(d, name, NULL);
    if (found && isfinite(value)) *found = value;
    return found && isfinite(value);
}
