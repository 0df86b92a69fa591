// SPDX-License-Identifier: BSD-3-Clause
// Rate z' at the state of the data, with the conditioning of its constraints. Regular states are accelerated as they
// are. Near singular configurations, and with compliant rows where the constraints are violated, the state is projected
// onto the constraints first; and where the rows are too ill-conditioned, the accelerations are the limit of those at
// better conditioned states (limit_acceleration.c).
#include "dynamics/data.h"
#include "dynamics/energy.h"
#include "dynamics/projection/near_singular_projection.h"
#include "dynamics/rows/constraint_update.h"
#include "simulation/ode/ode_system.h"
#include "simulation/simulation_tolerances.h"

#include <math.h>

// Return whether the state has no solution while neighbouring ones may have: with compliant rows, a motion of the
// singular configuration itself may be undetermined.
static bool has_no_solution(const cd_ode_system* system, cardan_status status)
{
    return cd_constraints_inconsistent(system, status) ||
           (status == CARDAN_SINGULAR && system->data->settings.near_singular);
}

// Compute accelerations at the state of the data and update the conditioning, even if the rows are inconsistent, as
// at singular configurations.
static cardan_status accelerate_and_monitor(cd_ode_system* system, double* rate)
{
    cardan_data* data                   = system->data;
    data->policy.residual_tolerance     = cd_residual_tolerance;
    data->policy.row_residual_tolerance = cd_row_residual_tolerance * data->settings.velocity_damping_rate;
    const cardan_status status      = cardan_data_accelerate(data, rate, system->ns ? rate + system->nv : NULL, NULL);
    const bool          rank_frozen = data->policy.rank == CD_RANK_FROZEN;
    data->policy.residual_tolerance = data->policy.row_residual_tolerance = 0;
    if (rank_frozen && status) return status;
    if (!status || cd_constraints_inconsistent(system, status)) cd_conditioning_update(system);
    // this is the singular configuration itself
    if (status == CARDAN_SINGULAR && data->settings.near_singular) system->conditioning.sigma_min_sq_rel = 0;
    if (!status) cd_compare_generated_code(system, rate);
    return rank_frozen && data->settings.near_singular ? CARDAN_INCONSISTENT : status;
}

// Project near a singular configuration, then accelerate. A failed projection of nearly dependent rows is accepted:
// their violation is small.
static cardan_status accelerate_near_singular(cd_ode_system* system, double* rate)
{
    const cardan_status status = cd_project_near_singular(system->data);
    return status && !cd_constraints_inconsistent(system, status) ? status : accelerate_and_monitor(system, rate);
}

// Return whether the violation makes compliant rows too compliant. At the bound, accelerations jump by the bound
// times their sensitivity to violations: it must be far below any tolerance, or the step control detects the jump and
// errors do not follow the tolerance. If no stabilization corrects the positions, the violated state is the solution,
// as long as all rows are well-conditioned. Baumgarte terms need the violation.
static bool is_softened_by_violation(const cd_ode_system* system)
{
    cardan_data* data      = system->data;
    double       violation = 0;
    if (data->rows.nrow > 0 && data->settings.baumgarte_rate == 0 &&
        data->formulation->properties & CD_COMPLIANT_ROWS &&
        !(system->projection.positions_unstabilized && system->conditioning.rank_deficiency_generic >= 0 &&
          system->conditioning.sigma_min_sq_rel > cd_compliant_sigma_sq))
        cd_scaled_violations(data, &violation, NULL);
    return violation > cd_softening_violation;
}

// Store the failure if the rate is not finite. power [W] is NaN if it was not computed yet.
static cardan_status complete_rate(cd_ode_system* system, cardan_status status, double power, double* rate)
{
    cardan_data* data  = system->data;
    const int    known = system->nv + system->ns;
    if (status && status != CARDAN_NOT_FINITE) return status;
    rate[known] = isnan(power) ? cd_nonconservative_power(data) : power;
    if (cd_is_bounded(system->nz, rate)) return status;
    for (int i = 0; i < system->nz; ++i)
        if (!isfinite(rate[i]))
            return cd_record_failure(system, data->t, i < known ? system->nq + i : CARDAN_NONE, rate[i]);
    return status;
}

// Complete the evaluation: by the limit, where it is needed. The saved state is that of the evaluation.
static cardan_status complete_or_limit(cd_ode_system* system, cardan_status status, double* rate)
{
    cardan_data* data  = system->data;
    double       power = NAN;
    if (data->settings.near_singular && cd_singular_limit_is_needed(system) &&
        (!status || has_no_solution(system, status))) {
        bool limit_found = cd_singular_limit_evaluate(system, rate);
        cd_singular_limit_restore_state(system);
        cd_set_near_singular(system, true);
        // the factor and the conditioning are those of the state itself
        const cardan_status status_again = accelerate_near_singular(system, rate);
        // by round-off the first attempt may have had a solution
        limit_found |= system->singular_limit.valid && has_no_solution(system, status_again);
        if (limit_found) power = cd_singular_limit_apply(system, rate);
        status = limit_found ? CARDAN_OK : status ? status : status_again;
    } else if (!status)
        cd_singular_limit_record_acceleration(system, rate);
    return complete_rate(system, status, power, rate);
}

static cardan_status evaluate_guarded(cd_ode_system* system, double* rate)
{
    cd_singular_limit_save_state(system);
    return complete_or_limit(system, accelerate_near_singular(system, rate), rate);
}

cardan_status cd_evaluate_rate(cd_ode_system* system, double* rate)
{
    cardan_data* data = system->data;
    if (data->settings.near_singular) return evaluate_guarded(system, rate);
    const bool off_constraints = is_softened_by_violation(system);
    if (off_constraints) cd_singular_limit_save_state(system);
    cardan_status status =
        off_constraints ? accelerate_near_singular(system, rate) : accelerate_and_monitor(system, rate);
    if (data->settings.near_singular) {
        if (!off_constraints) cd_singular_limit_save_state(system);
        status = accelerate_near_singular(system, rate);
    }
    return complete_or_limit(system, status, rate);
}

cardan_status cd_rhs_guarded(cd_ode_system* system, double t, const double* q, const double* z, double* rate)
{
    cardan_status status = cd_ode_system_set_state(system, t, q, z);
    if (!status) status = evaluate_guarded(system, rate);
    if (!status) cd_relax_velocities(system, z, rate);
    return status;
}
