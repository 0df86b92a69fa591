// SPDX-License-Identifier: BSD-3-Clause
// Initial state of a run, on the constraints.
#include "simulation/simulation.h"

#include "assembly/curve_branch.h"
#include "dynamics/inputs/driven_input.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/state.h"
#include "model/model.h"

#include <cardan/assemble.h>

#include <string.h>

static cardan_status assemble_start(cd_simulation* s)
{
    cardan_status status = cd_simulation_set_state(s, &s->x);
    double        position, velocity;
    if (status) return status;
    cd_restart_driven_inputs(s->system.data, s->run.q != NULL);
    cd_choose_curve_branches(s->system.data, NULL);
    cd_scaled_violations(s->system.data, &position, &velocity);
    const bool satisfies_constraints = position <= cd_start_violation && velocity <= cd_start_violation;
    // assembly reports it in the other cases
    if (satisfies_constraints && !s->run.q) cd_choose_curve_branches(s->system.data, s->report);
    if (!satisfies_constraints && s->run.q)
        status = cardan_data_project(s->system.data, NULL, s->x.q, s->x.z, NULL, s->report);
    else if (!satisfies_constraints)
        status = cardan_data_assemble(s->system.data, NULL, s->x.q, s->x.z, NULL, s->report);
    return status || !s->system.projection.velocity_each_evaluation ? status : cd_stabilize_reported(s, &s->x);
}

cardan_status cd_set_initial_state(cd_simulation* s)
{
    cd_ode_system*          system = &s->system;
    const cardan_model_view view   = cardan_model_get_view(system->model);
    const int               nq = system->nq, nv = system->nv, ns = system->ns;
    const double*           state = s->run.state ? s->run.state : view.state_start;
    if (!s->run.q) cd_reset_winding_numbers(system->data);
    memcpy(s->x.q, s->run.q ? s->run.q : view.q_start, (size_t)nq * sizeof(double));
    memcpy(s->x.z, s->run.v ? s->run.v : view.v_start, (size_t)nv * sizeof(double));
    if (ns) memcpy(s->x.z + nv, state, (size_t)ns * sizeof(double));
    s->x.t               = cd_discontinuity_time_after(&s->discontinuities, s->run.start);
    s->x.z[nv + ns]      = 0;
    cardan_status status = cd_ode_state_check_finite(system, s->x.t, s->x.q, s->x.z);
    if (status) return cd_fail_start_value(system, s->report);
    cardan_model_normalize_position(system->model, s->x.q);
    return system->has_constraints ? assemble_start(s) : CARDAN_OK;
}
