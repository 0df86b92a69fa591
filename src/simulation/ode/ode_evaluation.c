// SPDX-License-Identifier: BSD-3-Clause
// Right-hand side: by generated code where it is permitted, else by the library.
#include "simulation/ode/ode_system.h"

#include "dynamics/data.h"
#include "dynamics/energy.h"
#include "dynamics/forces.h"
#include "dynamics/generated_evaluation.h"

#include <string.h>

void cd_rhs_auxiliary(cd_ode_system* system, double* rate)
{
    cardan_data* data = system->data;
    cd_update_forces(data);
    memcpy(rate, data->forces.formula_value + 3 * data->m->view.nforce, (size_t)system->ns * sizeof *rate);
    rate[system->ns] = cd_nonconservative_power(data);
}

const double* cd_rhs_velocities(const cd_ode_system* system, const double* z)
{
    return system->projection.velocity_each_evaluation ? system->data->v : z;
}

cardan_status cd_rhs_by_library(cd_ode_system* system, double t, const double* q, const double* z, double* rate)
{
    cardan_status status = cd_ode_system_set_state(system, t, q, z);
    if (!status) status = cd_evaluate_rate(system, rate);
    if (!status) cd_relax_velocities(system, z, rate);
    return status;
}

// Compute the rate by generated code. If a result is not finite, the library computes it and reports the reason.
cardan_status cd_rhs_regular(cd_ode_system* system, double t, const double* q, const double* z, double* rate)
{
    cardan_data* d     = system->data;
    const int    known = system->nv + system->ns;
    if (system->projection.velocity_each_evaluation || !cd_can_use_generated_rhs(d) ||
        !cd_is_far_from_singular(system, t, z))
        return cd_rhs_by_library(system, t, q, z, rate);
    const cardan_status status = cd_progress_poll(system) ? cd_ode_state_check_finite(system, t, q, z) : CARDAN_STOPPED;
    if (status) return status;
    if (q != system->q_scratch && system->nquaternion > 0) {
        memcpy(system->q_scratch, q, (size_t)system->nq * sizeof *q);
        cardan_model_normalize_position(system->model, system->q_scratch);
        q = system->q_scratch;
    }
    d->compiled.rhs(q, z, d->external.effort, z + system->nv, t, rate, rate + system->nv, rate + known);
    if (!cd_is_bounded(system->nz, rate)) return cd_rhs_by_library(system, t, q, z, rate);
    ++system->statistics.evaluations;
    ++system->statistics.generated_evaluations;
    return CARDAN_OK;
}
