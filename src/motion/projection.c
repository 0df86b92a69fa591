// SPDX-License-Identifier: BSD-3-Clause
// Projection: after every step positions, then velocities, are moved onto the constraints by the least change in the mass metric,
// with the factor that the last accelerations left behind (dynamics/project.c). Motion along the constraints is not disturbed
// to first order.
#include "motion/stabilization.h"

#include <cardan/assemble.h>

static cardan_status correct(cd_system* system, void* work, cd_point* x, cardan_report* report)
{
    (void)work;
    const cardan_status status = cardan_data_set(system->data, x->t, x->q, x->z, system->ns ? x->z + system->nv : NULL);
    return status ? status : cardan_project(system->data, NULL, x->q, x->z, NULL, report);
}

const cd_stabilization cd_stabilization_projection = {
    .name      = "projection",
    .summary   = "positions and velocities put back after every step by the least change in the mass metric; the default",
    .reference = "paper 000, section 5; Lubich 1991; Eich 1993, SIAM J. Numer. Anal. 30(5)",
    .correct   = correct,
};
