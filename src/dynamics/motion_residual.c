// SPDX-License-Identifier: BSD-3-Clause
// Inverse dynamics, and the residual of the equations of motion at given accelerations.
#include "dynamics/rank/acceleration_residual.h"

#include "core/check_arguments.h"
#include "dynamics/forces.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/rows/jacobian_operator.h"
#include "dynamics/rows/rotors.h"
#include "math/finite.h"

#include <math.h>
#include <string.h>

cardan_status cardan_data_inverse_dynamics(cardan_data* d, const double* a, double* effort)
{
    CD_REQUIRE_POINTER(d, "data", NULL);
    CD_REQUIRE_ARRAY(a, d->m->nv, "a", NULL);
    CD_REQUIRE_ARRAY(effort, d->m->nv, "effort", NULL);
    const bool finite = cd_all_finite(d->m->nv, a);
    cd_update_forces(d);
    cd_inverse_dynamics(d->m, &d->k, d->v, a, d->forces.has_wrenches ? d->forces.wrench : NULL, effort);
    cd_add_rotor_efforts(d, a, effort);
    for (int i = 0; i < d->m->nv; ++i) effort[i] -= d->forces.effort[i];
    return finite ? CARDAN_OK : CARDAN_BAD_USAGE;
}

cardan_status cardan_data_residual(cardan_data* d, const double* a, double* residual)
{
    return cardan_data_inverse_dynamics(d, a, residual);
}

cardan_status cardan_data_joint_efforts(cardan_data* d, double* effort)
{
    CD_REQUIRE_POINTER(d, "data", NULL);
    CD_REQUIRE_ARRAY(effort, d->m->nv_joint, "effort", NULL);
    cd_update_forces(d);
    if (d->m->nv_joint > 0) memcpy(effort, d->forces.effort, (size_t)d->m->nv_joint * sizeof *effort);
    return CARDAN_OK;
}

double cardan_data_residual_norm(cardan_data* d, const double* a)
{
    if (!d || (!a && d->m->nv > 0)) return NAN;
    cd_update_rhs(d);
    cd_update_rows(d);
    cd_update_gamma_scale(d);
    double largest = 0, error = 0;
    cd_inverse_dynamics(d->m, &d->k, d->v, a, d->forces.has_wrenches ? d->forces.wrench : NULL, d->scratch.nv);
    for (int i = 0; i < d->m->nv; ++i)
        largest =
            fmax(largest, fmax(fabs(d->solve.bias_effort[i]),
                               fmax(fabs(d->forces.effort[i]), fabs(d->scratch.nv[i] - d->solve.bias_effort[i]))));
    cd_add_jacobian_transposed_times(d, &d->solver_rows, d->solve.lambda, d->scratch.nv); // rotor rows included
    cd_contacts_subtract_efforts(d, d->scratch.nv);
    for (int i = 0; i < d->m->nv; ++i) error = fmax(error, fabs(d->scratch.nv[i] - d->forces.effort[i]));
    const cd_acceleration_residual residual = cd_compute_acceleration_residual(d, a, 0);
    return fmax(largest > 0 ? error / largest : error, cd_relative_residual(&residual, 1));
}
