// SPDX-License-Identifier: BSD-3-Clause
// Projection: after every step positions, then velocities, are moved onto the constraints by the least change in the
// mass metric, with the factor that the last accelerations left behind (dynamics/project.c). Motion along the
// constraints is not disturbed to first order. Methods of fixed steps do it in passing: at the beginning of the next
// step, with its factor, and at rows.
#include "motion/stabilization.h"

#include "dynamics/data.h"

#include <cardan/assemble.h>

static cardan_status correct(cd_system* system, void* work, cd_point* x, cardan_report* report)
{
    (void)work;
    cardan_data*     data = system->data;
    cardan_projected done;
    cardan_status    status = cd_data_reach(data, x->t, x->q, x->z, system->ns ? x->z + system->nv : NULL);
    if (status) return status;
    if (data->near && system->beside.last == x->t) return CARDAN_OK; // nothing is known there of the weak rows
    if (data->near) status = cd_approach(data);
    if (!status) status = cardan_project(data, NULL, x->q, x->z, &done, NULL);
    if (!status) return CARDAN_OK;
    cd_gaps(data, &done.position_left, &done.velocity_left);
    if (status == CARDAN_NOT_CONVERGED && !data->near &&
        cd_drivers_contradict(data, system->firmness.fewest, x->t, report))
        return status;
    const bool apart = done.position_left > cd_gap_endured, fast = done.velocity_left > cd_gap_endured;
    return status == CARDAN_NOT_CONVERGED && !apart && !fast ? CARDAN_OK : cd_fail_apart(data, !apart, status, report);
}

const cd_stabilization cd_stabilization_projection = {
    .name    = "projection",
    .summary = "positions and velocities put back after every step by the least change in the mass metric; the default",
    .reference = "Tasora; Lubich 1991; Eich 1993, SIAM J. Numer. Anal. 30(5)",
    .passing   = true,
    .correct   = correct,
};
