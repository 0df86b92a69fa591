// SPDX-License-Identifier: BSD-3-Clause
#include "motion/blow.h"

#include "dynamics/data.h"

#include <cardan/assemble.h>

static double energy_of(cardan_data* d)
{
    const cardan_energies e = cardan_energy(d);
    return e.kinetic + e.potential;
}

cardan_status cd_blow(cd_system* system, cd_point* x, double* gained, cardan_report* report)
{
    cardan_data*  d      = system->data;
    cardan_status status = cd_data_reach(d, x->t, x->q, x->z, system->ns ? x->z + system->nv : NULL);
    if (status) return status;
    const double before = energy_of(d);
    d->factored = d->factor_held = false; // what serves to close gaps is of an earlier pose, and its metric another
    status                       = cardan_project(d, NULL, x->q, x->z, NULL, report);
    if (status) return status;
    *gained = energy_of(d) - before;
    x->z[system->nz - 1] += *gained;
    return CARDAN_OK;
}
