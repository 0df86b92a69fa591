// SPDX-License-Identifier: BSD-3-Clause
// Numbers of a description by name, to be changed between analyses: what springs and torsions are made of, springs in
// joints.
#include "model/description.h"
#include "model/joint_type.h"

#include <cardan/analyse.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PER_FORCE = 3, PER_AXIS = 2 };
static const char* const force_word[PER_FORCE] = {"length", "preload", "stiffness"};
static const char* const axis_word[PER_AXIS]   = {"rest", "stiffness"};

static double* of_force(cardan_force* force, int k)
{
    if (!force->type) return NULL;
    const bool elastic = strcmp(force->type, "spring") == 0 || strcmp(force->type, "torsion") == 0;
    if (!elastic) return NULL;
    if (k == 2) return force->force_table == CARDAN_NONE ? &force->stiffness[0] : NULL;
    return k == 0 ? &force->length : &force->preload;
}

// Whether coordinate `axis` of the joint is an angle.
static bool turns(const cardan_joint* joint, int axis)
{
    const cd_joint_type* type = joint->type ? cd_joint_type_find(joint->type) : NULL;
    cd_step              step[CARDAN_JOINT_MAX];
    const int            n = type ? type->steps(joint, step) : 0;
    for (int s = 0; s < n; ++s) {
        const int nv = cd_motion_nv(step[s].motion);
        if (axis < nv) return strcmp(cd_motion_v_unit(step[s].motion, axis), "rad/s") == 0;
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
    return unit[turns(joint, axis)][k];
}

// Quantity number i, its name and unit where these are wanted; NULL behind the last.
static double* walk(const cardan_description* d, int i, char* name, size_t size, const char** unit)
{
    for (int f = 0; f < d->nforce; ++f)
        for (int k = 0; k < PER_FORCE; ++k) {
            double* value = of_force(&d->force[f], k);
            if (!value || i-- > 0) continue;
            if (name) snprintf(name, size, "%s.%s", d->force[f].name, force_word[k]);
            if (unit) *unit = unit_of_force(&d->force[f], k);
            return value;
        }
    for (int j = 0; j < d->njoint; ++j)
        for (int axis = 0; axis < d->joint[j].naxis; ++axis) {
            cardan_axis* law = (cardan_axis*)&d->joint[j].axis[axis]; // the description's own copy
            for (int k = 0; k < PER_AXIS; ++k) {
                if (law->stiffness == 0 || i-- > 0) continue;
                char number[16] = "";
                if (axis > 0) snprintf(number, sizeof number, ":%d", axis + 1);
                if (name) snprintf(name, size, "%s%s.%s", d->joint[j].name, number, axis_word[k]);
                if (unit) *unit = unit_of_axis(&d->joint[j], axis, k);
                return k == 0 ? &law->rest : &law->stiffness;
            }
        }
    return NULL;
}

int cardan_quantity_count(const cardan_description* d)
{
    int count = 0;
    while (d && walk(d, count, NULL, 0, NULL)) ++count;
    return count;
}

bool cardan_quantity_name(const cardan_description* d, int i, char* name, int size)
{
    return d && name && size > 0 && i >= 0 && walk(d, i, name, (size_t)size, NULL);
}

static double* find(const cardan_description* d, const char* name, const char** unit)
{
    char    other[512];
    double* value = NULL;
    for (int i = 0; d && name && (value = walk(d, i, other, sizeof other, unit)); ++i)
        if (strcmp(name, other) == 0) return value;
    return NULL;
}

bool cardan_quantity_get(const cardan_description* d, const char* name, double* value)
{
    const double* found = find(d, name, NULL);
    if (found && value) *value = *found;
    return found && value;
}

const char* cardan_quantity_unit(const cardan_description* d, const char* name)
{
    const char* unit = NULL;
    return find(d, name, &unit) ? unit : NULL;
}

bool cardan_quantity_set(cardan_description* d, const char* name, double value)
{
    double* found = find(d, name, NULL);
    if (found && isfinite(value)) *found = value;
    return found && isfinite(value);
}
