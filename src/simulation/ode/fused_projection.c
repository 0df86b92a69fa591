// SPDX-License-Identifier: BSD-3-Clause
// Right-hand side at the start of a step, fused with the projection of that state onto the constraints: both use one
// factor. Positions are corrected once; velocities are corrected by the same solve as the accelerations.
#include "simulation/ode/ode_system.h"

#include "dynamics/data.h"
#include "dynamics/projection/project.h"
#include "dynamics/rows/constraint_update.h"
#include "simulation/simulation_tolerances.h"

#include <cardan/assemble.h>

#include <string.h>

// [ M J'; J 0 ] [ dv; y ] = [ 0; -cdot ] is linear, so dv / h may be solved for together with the accelerations:
// gamma - cdot / h. The state changes by the order of the error of a step, and so do the accelerations: the effect
// after the step is one order higher.
static cardan_status rhs_projecting(cd_ode_system* system, double h, cd_ode_state* x, double* rate,
                                    bool may_freeze_rank);

static cardan_status project_after_rhs(cd_ode_system* system, double h, cd_ode_state* x, double* rate, bool full_rank,
                                       cardan_status status)
{
    cardan_data* d = system->data;
    if (!status && cd_project_with_current_factor(d, x->q, h > 0 ? NULL : x->z)) return status;
    if (status && (status != CARDAN_INCONSISTENT || !full_rank)) return status;
    system->projection.fused_failed = true;
    cardan_data_project(d, NULL, x->q, x->z, NULL, NULL);
    return cd_rhs_by_library(system, x->t, x->q, x->z, rate);
}

// Compute the rate; velocity damping and its gamma are valid for this step only.
static cardan_status rhs_for_step(cd_ode_system* system, double h, double* rate, bool full_rank, bool want_correction)
{
    cardan_data* d                       = system->data;
    d->settings.assume_full_rank         = full_rank;
    d->settings.want_position_correction = want_correction;
    d->settings.velocity_damping_rate    = h > 0 ? 1 / h : 0;
    d->valid.gamma                       = d->valid.gamma && !(h > 0);
    const cardan_status status           = cd_evaluate_rate(system, rate);
    d->settings.assume_full_rank         = false;
    d->settings.want_position_correction = false;
    d->settings.velocity_damping_rate    = 0;
    d->valid.gamma                       = d->valid.gamma && !(h > 0);
    return status;
}

// Return whether no rows are redundant where the constraints are satisfied.
static bool has_full_rank(const cd_ode_system* system)
{
    return system->conditioning.rank_deficiency_generic == 0 && !system->projection.fused_failed;
}

// Return whether the rank may be frozen. Redundant rows cannot be identified off the constraints: those found where
// the constraints were satisfied are used, as long as the other rows are well-conditioned and these agree with them.
// Not with driver functions: their power would include that of the projection.
static bool can_freeze_rank(const cd_ode_system* system)
{
    const cardan_data* d = system->data;
    return system->conditioning.null_rows_known && d->history.has_factor && !system->projection.fused_failed &&
           !d->history.use_sharp_rank_test && !cd_has_load_dependent_forces(d) && system->model->ndriver_function == 0 &&
           d->formulation->properties & CD_CAN_FREEZE_RANK;
}

// Evaluate the same state again with a new rank decision.
static cardan_status rhs_again(cd_ode_system* system, double h, cd_ode_state* x, double* rate)
{
    cd_blocked_invalidate(system->data);
    system->data->valid.factor = false;
    return rhs_projecting(system, h, x, rate, false);
}

// Blocked evaluation for large mechanisms: the rows of a group of bodies are computed while the solver passes over
// it, as long as violations are small.
static cardan_status rhs_blocked(cd_ode_system* system, double h, cd_ode_state* x, double* rate)
{
    cardan_data*  d           = system->data;
    double        violation   = 0;
    const bool    rank_frozen = !has_full_rank(system);
    cardan_status status      = cd_begin_evaluation(system, x->t, NULL, NULL);
    if (status) return status;
    cd_blocked_set_state(d, x->t, x->q, x->z, cd_user_states(system, x->z));
    if (rank_frozen) d->policy.rank = CD_RANK_FROZEN;
    status = rhs_for_step(system, h, rate, true, true);
    if (rank_frozen) d->policy.rank = CD_RANK_BY_PIVOTS;
    cd_scaled_violations(d, &violation, NULL);
    system->projection.removed_violation = violation;
    const bool evaluate_again =
        violation > cd_projected_first_violation || (rank_frozen && status == CARDAN_INCONSISTENT);
    status = evaluate_again ? rhs_again(system, h, x, rate) : project_after_rhs(system, h, x, rate, true, status);
    cd_blocked_invalidate(d);
    return status;
}

cardan_status cd_rhs_and_project(cd_ode_system* system, double h, cd_ode_state* x, double* rate)
{
    if (!system->projection.at_step_start && !system->projection.velocity_each_evaluation)
        return system->rhs(system, x->t, x->q, x->z, rate);
    const bool rank_frozen = h > 0 && !system->projection.velocity_each_evaluation &&
                             !system->data->settings.near_singular && can_freeze_rank(system);
    if (h > 0 && (has_full_rank(system) || rank_frozen) && !system->projection.velocity_each_evaluation &&
        !system->data->settings.near_singular && cd_can_evaluate_blocked(system->data))
        return rhs_blocked(system, h, x, rate);
    return rhs_projecting(system, h, x, rate, rank_frozen);
}

static cardan_status rhs_projecting(cd_ode_system* system, double h, cd_ode_state* x, double* rate,
                                    bool may_freeze_rank)
{
    cardan_data*  d         = system->data;
    double        violation = 0;
    cardan_status status    = cd_ode_system_set_state(system, x->t, x->q, x->z);
    if (status) return status;
    if (system->projection.velocity_each_evaluation) {
        status = cd_evaluate_rate(system, rate);
        memcpy(x->z, d->v, (size_t)system->nv * sizeof *x->z);
        return status;
    }
    if (d->settings.near_singular) return cd_evaluate_rate(system, rate);

    cd_update_constraint_values_and_rows(d);
    cd_scaled_violations(d, &violation, NULL);
    system->projection.removed_violation = violation;
    const bool rank_frozen = may_freeze_rank && !has_full_rank(system) && violation <= cd_projected_first_violation;
    const bool full_rank   = has_full_rank(system) || rank_frozen;
    const bool lossy       = cd_has_load_dependent_forces(d); // losses depend on the true multipliers
    if (violation > (full_rank ? cd_projected_first_violation : cd_projected_first_redundant_violation))
        cardan_data_project(d, NULL, x->q, x->z, NULL, NULL);
    if (rank_frozen) d->policy.rank = CD_RANK_FROZEN;
    status = rhs_for_step(system, lossy || !full_rank ? 0 : h, rate, full_rank, violation > 0 && full_rank);
    if (rank_frozen) d->policy.rank = CD_RANK_BY_PIVOTS;
    if (rank_frozen && status == CARDAN_INCONSISTENT) return rhs_again(system, h, x, rate);
    return project_after_rhs(system, lossy || !full_rank ? 0 : h, x, rate, full_rank, status);
}
