// SPDX-License-Identifier: BSD-3-Clause
// Projection: after every step positions, then velocities, are moved onto the constraints by the least change in the
// mass metric, with the factor that the last accelerations left behind (dynamics/projection/project.c). Motion along the
// constraints is not disturbed to first order. Methods of fixed steps do it in passing: at the beginning of the next
// step, with its factor, and at rows.
#include "simulation/stabilization/stabilization.h"

#include "dynamics/data.h"

#include <cardan/assemble.h>

static cardan_status correct(cd_ode_system* system, void* work, cd_ode_state* x, cardan_report* report)
{
    (void)work;
    cardan_data*             data = system->data;
    cardan_projection_result projected;
    cardan_status status = cd_data_set_state_if_changed(data, x->t, x->q, x->z, system->ns ? x->z + system->nv : NULL);
    if (status) return status;
    if (data->near_singular && system->singular_limit.applied_t == x->t)
        return CARDAN_OK; // nothing is known there of the weak rows
    if (data->near_singular) status = cd_project_near_singular(data);
    if (!status) status = cardan_project(data, NULL, x->q, x->z, &projected, NULL);
    if (!status) return CARDAN_OK;
    cd_scaled_violations(data, &projected.position_violation_after, &projected.velocity_violation_after);
    if (status == CARDAN_NOT_CONVERGED && !data->near_singular &&
        cd_report_inconsistent_drivers(data, system->conditioning.rank_deficiency_generic, x->t, report))
        return status;
    const bool position_violated = projected.position_violation_after > cd_accepted_violation,
               velocity_violated = projected.velocity_violation_after > cd_accepted_violation;
    return status == CARDAN_NOT_CONVERGED && !position_violated && !velocity_violated
               ? CARDAN_OK
               : cd_fail_constraint_violation(data, !position_violated, status, report);
}

const cd_stabilization cd_stabilization_projection = {
    .name    = "projection",
    .summary = "positions and velocities put back after every step by the least change in the mass metric; the default",
    .citation                  = "Tasora; Lubich 1991; Eich 1993, SIAM J. Numer. Anal. 30(5)",
    .can_project_at_step_start = true,
    .correct                   = correct,
};
