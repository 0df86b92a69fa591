// SPDX-License-Identifier: BSD-3-Clause
// Projection: after every step positions, then velocities, are projected onto the constraints by the minimum-norm
// correction in the mass metric, with the factor of the last accelerations (dynamics/projection/project.c). The
// motion along the constraints is not disturbed to first order. Fixed-step methods fuse the projection with the
// evaluation at the start of the next step and its factor, and project at samples.
#include "simulation/stabilization/stabilization.h"

#include "dynamics/data.h"
#include "dynamics/projection/near_singular_projection.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/state.h"
#include "explain/explain.h"

#include <cardan/assemble.h>

static cardan_status correct(cd_ode_system* system, void* work, cd_ode_state* x, cardan_report* report)
{
    (void)work;
    cardan_data*             data = system->data;
    cardan_projection_result projected;
    cardan_status            status = cd_data_set_ode_state(system, x);
    if (status) return status;
    // the ill-conditioned rows give no correction there
    if (data->settings.near_singular && system->singular_limit.applied_t == x->t) return CARDAN_OK;
    if (data->settings.near_singular) status = cd_project_near_singular(data);
    if (!status) status = cardan_data_project(data, NULL, x->q, x->z, &projected, NULL);
    if (!status) return CARDAN_OK;
    cd_scaled_violations(data, &projected.position_violation_after, &projected.velocity_violation_after);
    if (status == CARDAN_NOT_CONVERGED && !data->settings.near_singular &&
        cd_report_inconsistent_drivers(data, system->conditioning.rank_deficiency_generic, x->t, report))
        return status;
    const bool position_violated = projected.position_violation_after > cd_accepted_violation,
               velocity_violated = projected.velocity_violation_after > cd_accepted_violation;
    return status == CARDAN_NOT_CONVERGED && !position_violated && !velocity_violated
               ? CARDAN_OK
               : cd_fail_constraint_violation(data, !position_violated, status, report);
}

const cd_stabilization cd_stabilization_projection = {
    .name     = "projection",
    .summary  = "positions and velocities are projected onto the constraints after every step by the least change in "
                "the mass metric; the default",
    .citation = "Tasora; Lubich 1991; Eich 1993, SIAM J. Numer. Anal. 30(5)",
    .can_project_at_step_start = true,
    .correct                   = correct,
};
