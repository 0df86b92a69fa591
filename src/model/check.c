// SPDX-License-Identifier: BSD-3-Clause
// Is a description sound? What readers of files check with a place is checked here once more, for descriptions made in C.
#include "model/check.h"

#include "core/text.h"
#include "model/joint_type.h"

#include <math.h>
#include <string.h>

static const char* type_candidate(void* user, int i)
{
    (void)user;
    return i < cd_joint_type_count() ? cd_joint_type_at(i)->name : NULL;
}

static bool finite_all(const double* x, int n)
{
    for (int i = 0; i < n; ++i)
        if (!isfinite(x[i])) return false;
    return true;
}

static cardan_status check_bodies(const cardan_view* view, cardan_report* report)
{
    cardan_status status = CARDAN_OK;
    for (int i = 0; i < view->nbody; ++i) {
        const cardan_body* b = &view->body[i];
        if (!(b->mass >= 0) || !isfinite(b->mass))
            status = cardan_fail(report, CARDAN_BAD_INPUT, b->place, "body '%s': its mass is %g kg; a mass is zero or positive", b->name, b->mass);
        if (!finite_all(b->centre, 3) || !finite_all(b->inertia, 6))
            status = cardan_fail(report, CARDAN_BAD_INPUT, b->place, "body '%s': its mass centre or inertia is not finite", b->name);
    }
    return status;
}

static cardan_status check_steps(const cardan_joint* j, cardan_report* report)
{
    if (strcmp(j->type, "general") == 0 && (j->nstep < 1 || j->nstep > CARDAN_JOINT_MAX))
        return cardan_fail(report, CARDAN_BAD_INPUT, j->place, "joint '%s': a general joint has 1 to %d steps, not %d", j->name, CARDAN_JOINT_MAX, j->nstep);
    for (int i = 0; i < j->nstep; ++i) {
        const double* a = j->step[i].axis;
        if (!(hypot(hypot(a[0], a[1]), a[2]) > 0) || !finite_all(a, 3))
            return cardan_fail(report, CARDAN_BAD_INPUT, j->place, "joint '%s': the axis of step %d has no direction", j->name, i + 1);
    }
    return CARDAN_OK;
}

static cardan_status check_joints(const cardan_view* view, cardan_report* report)
{
    cardan_status status = CARDAN_OK;
    for (int i = 0; i < view->njoint; ++i) {
        const cardan_joint* j = &view->joint[i];
        if (!cd_joint_type_find(j->type)) {
            const char* near = cd_nearest(j->type, type_candidate, NULL);
            status = cardan_fail(report, CARDAN_BAD_INPUT, j->place, "joint '%s': there is no joint type '%s'%s%s%s", j->name, j->type,
                                 near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
        } else if (j->first == j->second) {
            status = cardan_fail(report, CARDAN_BAD_INPUT, j->place, "joint '%s': it joins %s to itself", j->name,
                                 j->first == CARDAN_GROUND ? "ground" : view->body[j->first].name);
        } else if (check_steps(j, report) != CARDAN_OK) {
            status = CARDAN_BAD_INPUT;
        } else if (!finite_all(j->start_q, CARDAN_JOINT_MAX + 1) || !finite_all(j->start_v, CARDAN_JOINT_MAX)) {
            status = cardan_fail(report, CARDAN_BAD_INPUT, j->place, "joint '%s': its start value is not finite", j->name);
        }
    }
    return status;
}

cardan_status cd_check_view(const cardan_view* view, cardan_report* report)
{
    const cardan_status bodies = check_bodies(view, report), joints = check_joints(view, report);
    return bodies != CARDAN_OK ? bodies : joints;
}
