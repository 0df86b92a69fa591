// SPDX-License-Identifier: BSD-3-Clause
// Validity of a description: every number finite and such that products of several are finite, every index in range,
// every joint with the elementary joints and force elements of its type. Readers of files check the same with
// locations; these checks are for descriptions made in C.
#include "model/check/check_description.h"
#include "model/model_tolerances.h"

#include "core/text.h"
#include "model/joint/joint_type.h"

#include <math.h>
#include <string.h>

static const char* type_candidate(void* user, int i)
{
    (void)user;
    return i < cd_joint_type_count() ? cd_joint_type_at(i)->name : NULL;
}

// Finite, and at most cd_quantity_max.
static bool all_representable(const double* x, int n)
{
    for (int i = 0; i < n; ++i)
        if (!(fabs(x[i]) <= cd_quantity_max)) return false;
    return true;
}

// Zero, or at least 1 / cd_quantity_max.
static bool is_zero_or_representable(const double* x, int n)
{
    double largest = 0;
    for (int i = 0; i < n; ++i) largest = fmax(largest, fabs(x[i]));
    return largest == 0 || largest >= 1 / cd_quantity_max;
}

static bool is_pose(const cardan_pose* pose)
{
    const double* q = pose->q;
    return all_representable(pose->p, 3) &&
           fabs(sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]) - 1) <= cd_unit_quaternion_tolerance;
}

static bool is_body(const cardan_description_view* view, int body)
{
    return body >= CARDAN_GROUND && body < view->nbody;
}

static cardan_status check_bodies(const cardan_description_view* view, cardan_report* report)
{
    cardan_status status = CARDAN_OK;
    for (int i = 0; i < view->nbody; ++i) {
        const cardan_body* b = &view->body[i];
        if (!(b->mass >= 0) || !all_representable(&b->mass, 1))
            status = cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_INVALID_VALUE, b->location,
                                 "body '%s': the mass is %g kg; it must be zero or positive, and at most %g kg",
                                 b->name, b->mass, cd_quantity_max);
        if (!is_zero_or_representable(&b->mass, 1) || !is_zero_or_representable(b->inertia, 6))
            status = cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_INVALID_VALUE, b->location,
                                 "body '%s': the mass or inertia is below %g kg or kg m^2, but not zero, which causes "
                                 "underflow; use 0 instead",
                                 b->name, 1 / cd_quantity_max);
        if (!all_representable(b->centre, 3) || !all_representable(b->inertia, 6))
            status = cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_INVALID_VALUE, b->location,
                                 "body '%s': the mass centre or inertia is not finite, or above %g m or kg m^2",
                                 b->name, cd_quantity_max);
        if (!is_pose(&b->pose))
            status = cardan_fail(
                report, CARDAN_BAD_INPUT, CARDAN_CODE_INVALID_VALUE, b->location,
                "body '%s': the pose is not finite or too large, or its quaternion is not of unit length", b->name);
    }
    return status;
}

// Only general joints, and universal joints (two rotations), have elementary joints in the description; other types
// ignore them.
static cardan_status check_elementary_joints(const cardan_joint* j, cardan_report* report)
{
    const bool general = strcmp(j->type, "general") == 0, universal = strcmp(j->type, "universal") == 0;
    if (general && (j->nelementary < 1 || j->nelementary > CARDAN_JOINT_VELOCITIES_MAX))
        return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_INVALID_VALUE, j->location,
                           "joint '%s': a general joint has 1 to %d steps, not %d", j->name,
                           CARDAN_JOINT_VELOCITIES_MAX, j->nelementary);
    if (universal && j->nelementary != 0 &&
        (j->nelementary != 2 || j->elementary[0].is_translation || j->elementary[1].is_translation))
        return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_INVALID_VALUE, j->location,
                           "joint '%s': a universal joint has exactly two rotations", j->name);
    if (!general && !universal && j->nelementary != 0)
        return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_INVALID_VALUE, j->location,
                           "joint '%s': a %s joint has no steps; use a general joint", j->name, j->type);
    for (int i = 0; i < j->nelementary; ++i) {
        const double* a = j->elementary[i].axis;
        if (!(hypot(hypot(a[0], a[1]), a[2]) > 0) || !isfinite(a[0] + a[1] + a[2])) // axes may have any length
            return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_INVALID_VALUE, j->location,
                               "joint '%s': the axis of step %d is zero", j->name, i + 1);
    }
    return CARDAN_OK;
}

static cardan_status check_joint_forces(const cardan_joint* j, cardan_report* report)
{
    cd_elementary_joint element[CARDAN_JOINT_VELOCITIES_MAX];
    int                 nv = 0;
    const int           n  = cd_joint_type_find(j->type)->elementary_joints(j, element);
    for (int i = 0; i < n; ++i) nv += cd_motion_nv(element[i].motion);
    if (j->naxis != 0 && (j->naxis != nv || !j->axis))
        return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_INVALID_VALUE, j->location,
                           "joint '%s': it has axis properties for %d velocities, but %d degrees of freedom", j->name,
                           j->naxis, nv);
    if (j->ndriver != 0 && j->ndriver != nv)
        return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_INVALID_VALUE, j->location,
                           "joint '%s': it has %d driver functions for %d velocities; it needs one each", j->name,
                           j->ndriver, nv);
    for (int i = 0; i < j->naxis; ++i) {
        const cardan_axis_properties* a         = &j->axis[i];
        const double                  number[9] = {a->stiffness,        a->spring_reference,  a->damping,
                                                   a->friction_forward, a->friction_backward, a->friction_speed,
                                                   a->armature,         a->stop_stiffness,    a->stop_damping};
        if (!all_representable(number, 9) || !(a->lower <= a->upper))
            return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_INVALID_VALUE, j->location,
                               "joint '%s', coordinate %d: an axis property is not finite or too large, or the lower "
                               "limit exceeds the upper one",
                               j->name, i + 1);
        if (cd_check_dry_friction(j, i, report) != CARDAN_OK) return CARDAN_BAD_INPUT;
        if (a->armature < 0)
            return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_INVALID_VALUE, j->location,
                               "joint '%s', coordinate %d: the armature is %g; it must be zero or positive", j->name,
                               i + 1, a->armature);
    }
    return CARDAN_OK;
}

static cardan_status check_joint(const cardan_description_view* view, const cardan_joint* j, cardan_report* report)
{
    if (!j->type || !cd_joint_type_find(j->type)) {
        const char* type       = j->type ? j->type : "";
        const char* suggestion = cd_nearest_name(type, type_candidate, NULL);
        return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_UNKNOWN_NAME, j->location,
                           "joint '%s': there is no joint type '%s'%s%s%s", j->name, type,
                           suggestion ? " (did you mean '" : "", suggestion ? suggestion : "", suggestion ? "'?)" : "");
    }
    if (!is_body(view, j->first_body) || !is_body(view, j->second_body))
        return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_INVALID_VALUE, j->location,
                           "joint '%s': there is no body number %d", j->name,
                           is_body(view, j->first_body) ? j->second_body : j->first_body);
    if (j->first_body == j->second_body)
        return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_INVALID_VALUE, j->location,
                           "joint '%s': it connects %s to itself", j->name,
                           j->first_body == CARDAN_GROUND ? "ground" : view->body[j->first_body].name);
    if (!is_pose(&j->frame_first) || !is_pose(&j->frame_second))
        return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_INVALID_VALUE, j->location,
                           "joint '%s': a frame is not finite or too large, or its quaternion is not of unit length",
                           j->name);
    if (!all_representable(&j->pitch, 1))
        return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_INVALID_VALUE, j->location,
                           "joint '%s': the pitch is not finite or too large", j->name);
    if (!all_representable(j->start_q, CARDAN_JOINT_VELOCITIES_MAX + 1) ||
        !all_representable(j->start_v, CARDAN_JOINT_VELOCITIES_MAX))
        return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_INVALID_VALUE, j->location,
                           "joint '%s': a start value is not finite or too large", j->name);
    const cardan_status status = check_elementary_joints(j, report);
    return status == CARDAN_OK ? check_joint_forces(j, report) : status;
}

static cardan_status check_markers(const cardan_description_view* view, cardan_report* report)
{
    cardan_status status = CARDAN_OK;
    for (int i = 0; i < view->nmarker; ++i) {
        const cardan_marker* m = &view->marker[i];
        if (!is_body(view, m->body))
            status = cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_INVALID_VALUE, m->location,
                                 "marker '%s': there is no body number %d", m->name, m->body);
        else if (!is_pose(&m->pose))
            status = cardan_fail(
                report, CARDAN_BAD_INPUT, CARDAN_CODE_INVALID_VALUE, m->location,
                "marker '%s': the pose is not finite or too large, or its quaternion is not of unit length", m->name);
    }
    return status;
}

static bool is_index(int i, int count) { return i >= CARDAN_NONE && i < count; }

static cardan_status check_forces(const cardan_description_view* view, cardan_report* report)
{
    cardan_status status = CARDAN_OK;
    for (int i = 0; i < view->nforce; ++i) {
        const cardan_force* f = &view->force[i];
        if (!f->type)
            status = cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_INVALID_VALUE, f->location,
                                 "force '%s': it has no type", f->name);
        if (!is_index(f->marker[0], view->nmarker) || !is_index(f->marker[1], view->nmarker) ||
            !is_index(f->frame, view->nmarker))
            status = cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_INVALID_VALUE, f->location,
                                 "force '%s': there is no such marker", f->name);
        if (!is_index(f->joint, view->njoint))
            status = cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_INVALID_VALUE, f->location,
                                 "force '%s': there is no joint number %d", f->name, f->joint);
        if (!is_index(f->force_table, view->ntable) || !is_index(f->damper_table, view->ntable))
            status = cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_INVALID_VALUE, f->location,
                                 "force '%s': there is no such table", f->name);
    }
    return status;
}

cardan_status cd_check_description(const cardan_description_view* view, cardan_report* report)
{
    cardan_status status = CARDAN_OK;
    if (!all_representable(view->gravity, 3))
        status = cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_INVALID_VALUE, cardan_location_none(),
                             "'%s': the gravity is not finite or too large", view->name);
    if (cd_check_names(view, report) != CARDAN_OK) status = CARDAN_BAD_INPUT;
    if (check_bodies(view, report) != CARDAN_OK) status = CARDAN_BAD_INPUT;
    for (int i = 0; i < view->njoint; ++i)
        if (check_joint(view, &view->joint[i], report) != CARDAN_OK) status = CARDAN_BAD_INPUT;
    if (check_markers(view, report) != CARDAN_OK) status = CARDAN_BAD_INPUT;
    if (check_forces(view, report) != CARDAN_OK) status = CARDAN_BAD_INPUT;
    if (cd_check_contacts(view, report) != CARDAN_OK) status = CARDAN_BAD_INPUT;
    return status;
}
