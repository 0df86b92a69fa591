// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/events/impulse.h"

#include "dynamics/data.h"
#include "dynamics/state.h"

#include <cardan/assemble.h>

static double total_energy(cardan_data* d)
{
    const cardan_energies e = cardan_data_energy(d);
    return e.kinetic + e.potential;
}

cardan_status cd_apply_impulse(cd_ode_system* system, cd_ode_state* x, double* energy_gain, cardan_report* report)
{
    cardan_data*  d      = system->data;
    cardan_status status = cd_data_set_ode_state(system, x);
    if (status) return status;
    const double energy_before = total_energy(d);
    // the factor belongs to an earlier configuration and has another mass metric
    d->valid.factor = d->history.has_factor = false;
    status                                  = cardan_data_project(d, NULL, x->q, x->z, NULL, report);
    if (status) return status;
    *energy_gain = total_energy(d) - energy_before;
    x->z[system->nz - 1] += *energy_gain;
    return CARDAN_OK;
}
