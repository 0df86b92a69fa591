// SPDX-License-Identifier: BSD-3-Clause
// Joints driven by the caller: start of the filter at the state, change of the target, release.
#include "core/check_arguments.h"
#include "dynamics/inputs/driven_input.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/state.h"
#include "math/finite.h"

#include <cardan/interact.h>
#include <string.h>

void cd_copy_external_drivers(const cardan_data* from, cardan_data* to)
{
    const size_t n = (size_t)to->m->ndriver_function;
    memcpy(to->external.is_driver_external, from->external.is_driver_external,
           n * sizeof *from->external.is_driver_external);
    memcpy(to->external.driver_values, from->external.driver_values, 3 * n * sizeof *from->external.driver_values);
    for (int i = 0; i < to->m->ndriver_function; ++i) {
        const int constraint = to->external.driven[i].constraint;
        if (!to->external.driven[i].is_drivable) continue;
        to->external.driven[i]            = from->external.driven[i];
        to->external.driven[i].constraint = constraint;
        cd_enable_driven_input(to, i, from->external.driven[i].is_driven);
        to->external.driven[i].is_frozen = from->external.driven[i].is_frozen;
    }
    cd_invalidate_rows(to);
    to->valid.state_stale = true;
}

// Start the filter at the coordinate of the state: value and rate of the constraint for a driver function of zero.
static void start_at_state(cardan_data* d, int n)
{
    cd_driven_input* w   = &d->external.driven[n];
    const int        row = d->constraints.constraint[w->constraint].first_row;
    double           now[3];
    memcpy(now, d->constraints.driver_values + 3 * n, sizeof now);
    memset(d->constraints.driver_values + 3 * n, 0, sizeof now);
    cd_invalidate_rows(d);
    cd_update_constraint_values(d);
    w->t_start  = d->t;
    w->start[0] = d->constraints.value[row];
    w->start[1] = d->constraints.rate[row];
    w->start[2] = 0;
    memcpy(d->constraints.driver_values + 3 * n, now, sizeof now);
    cd_invalidate_rows(d);
}

void cd_restart_driven_inputs(cardan_data* d, bool all)
{
    for (int i = 0; i < d->m->ndriver_function; ++i) {
        const cd_driven_input* w = &d->external.driven[i];
        if (!w->is_driven || w->is_frozen || !(all || w->t_start > d->t)) continue;
        start_at_state(d, i);
        cd_driven_input_evaluate(w, d->t, d->constraints.driver_values + 3 * i);
    }
}

// Driver function of a drivable coordinate, or a failure.
static cardan_status find_driven(const cardan_data* d, int joint, int axis, int* number, cardan_report* report)
{
    for (int n = 0; n < d->m->ndriver_function; ++n) {
        const cd_driven_input* w = &d->external.driven[n];
        if (!w->is_drivable) continue;
        const cd_coordinate* at = &d->constraints.constraint[w->constraint].coupled->coordinate[0];
        if (at->joint != joint || at->axis_index != axis) continue;
        *number = n;
        return CARDAN_OK;
    }
    const cardan_location at = d->m->view.joint[joint].location;
    return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_ARGUMENT, at,
                       "coordinate %d of joint '%s' cannot be driven: call cardan_description_make_drivable before "
                       "the model is compiled",
                       axis + 1, d->m->view.joint[joint].name);
}

static void inputs_changed(cardan_data* d)
{
    ++d->external.input_revision;
    d->history.all_motions_determined = false;
    cd_invalidate_rows(d);
    d->valid.state_stale = true;
    cd_replace_external_drivers(d, d->t);
}

cardan_status cardan_data_drive_joint(cardan_data* d, int joint, int axis, double value, cardan_report* report)
{
    CD_REQUIRE_POINTER(d, "data", report);
    CD_REQUIRE_INDEX(joint, d->m->view.njoint, "joint", report);
    CD_REQUIRE_INDEX(axis, CARDAN_JOINT_VELOCITIES_MAX, "axis", report);
    if (!cd_all_finite(1, &value)) return cd_fail_not_finite(report, __func__, "value");
    int                 n      = 0;
    const cardan_status status = find_driven(d, joint, axis, &n, report);
    if (status != CARDAN_OK) return status;
    cd_driven_input* w = &d->external.driven[n];
    if (w->is_driven && !w->is_frozen && d->t >= w->t_start) {
        double now[3];
        cd_driven_input_evaluate(w, d->t, now);
        memcpy(w->start, now, sizeof now);
        w->t_start = d->t;
    } else {
        cd_enable_driven_input(d, n, true);
        start_at_state(d, n);
    }
    w->target = value;
    inputs_changed(d);
    return CARDAN_OK;
}

cardan_status cardan_data_release_joint(cardan_data* d, int joint, int axis, cardan_report* report)
{
    CD_REQUIRE_POINTER(d, "data", report);
    CD_REQUIRE_INDEX(joint, d->m->view.njoint, "joint", report);
    CD_REQUIRE_INDEX(axis, CARDAN_JOINT_VELOCITIES_MAX, "axis", report);
    int                 n      = 0;
    const cardan_status status = find_driven(d, joint, axis, &n, report);
    if (status != CARDAN_OK || !d->external.driven[n].is_driven) return status;
    cd_enable_driven_input(d, n, false);
    inputs_changed(d);
    return CARDAN_OK;
}

unsigned long cardan_data_input_revision(const cardan_data* d) { return d ? d->external.input_revision : 0; }
