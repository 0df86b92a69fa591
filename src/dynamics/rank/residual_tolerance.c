// SPDX-License-Identifier: BSD-3-Clause
// Whether rows that the accelerations do not satisfy are inconsistent, or the residual is explained by round-off or
// by a violation of the state.
//
// Redundant rows are consistent only where the constraints are satisfied: elsewhere, as at stages of a step, they are
// inconsistent in proportion to the violation, which is no error of the model. A violation c changes a state by c/s,
// and accelerations by that over s: away from singular configurations 1/s^2 is at most 1/cd_near_singular_ratio_sq. A
// residual above cd_max_explained_residual of its terms is not explained by a violation. It is reported as drift if the
// violation exceeds cd_drift_violation [units], else as inconsistent constraints.
#include "dynamics/rank/residual_tolerance.h"

#include "dynamics/dynamics_tolerances.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/unit_scales.h"

#include <cardan/assemble.h>
#include <math.h>

// [units/s^2] Residual due to the violation of the state, for rows with terms of this size.
static double residual_of_violation(cardan_data* d, double term_scale)
{
    double position, velocity;
    cd_scaled_violations(d, &position, &velocity);
    const double max_speed = cd_velocity_norm_inf(d, d->v), baumgarte_rate = d->settings.baumgarte_rate;
    return (position * (term_scale + max_speed * max_speed + baumgarte_rate * baumgarte_rate) +
            velocity * (max_speed + baumgarte_rate)) /
           cd_near_singular_ratio_sq;
}

// Baumgarte terms are inconsistent in proportion to the violation.
static double baumgarte_residual(const cardan_data* d)
{
    return d->settings.baumgarte_rate *
           (d->settings.baumgarte_rate * d->violations.position + 2 * d->violations.velocity);
}

// Fraction of the terms that a residual may have. On the constraints, velocities hardly larger than the velocity
// violation are round-off, and so are all terms of the rows, as long as the violation is one that a projection
// leaves.
static double residual_allowance(cardan_data* d)
{
    const double max_speed = cd_velocity_norm_inf(d, d->v);
    double       position, velocity;
    cd_scaled_violations(d, &position, &velocity);
    return position <= cd_drift_violation && velocity <= cd_projected_velocity_violation &&
                   velocity > cd_max_explained_residual * max_speed
               ? cd_drift_safety_factor
               : cd_max_explained_residual;
}

static bool explained_by_violation(cardan_data* d, const cd_acceleration_residual* residual)
{
    if (d->settings.velocity_damping_rate > 0) return false; // the caller does not need these accelerations
    const double term_scale = fmax(residual->term_scale, cd_cancelled_term_share * residual->cancelled_scale);
    return residual->max_residual <=
           fmin(residual_allowance(d) * term_scale + baumgarte_residual(d), residual_of_violation(d, term_scale));
}

// Formulations may report rows as inconsistent. A row with gamma = 0 is always consistent; its residual is compared
// with the terms that cancel, in the same way for all formulations.
static bool explained_by_roundoff(const cd_acceleration_residual* residual)
{
    return cd_residual_exceeds_rhs(residual) &&
           residual->max_residual <= cd_significant_residual * cd_cancelled_term_share * residual->cancelled_scale;
}

bool cd_residual_is_significant(const cd_acceleration_residual* residual)
{
    return cd_relative_residual(residual, cd_cancelled_term_share) > cd_significant_residual;
}

bool cd_residual_is_explained(cardan_data* d, const cd_acceleration_residual* residual)
{
    return explained_by_roundoff(residual) || explained_by_violation(d, residual);
}

bool cd_residual_is_drift(cardan_data* d, const cd_acceleration_residual* residual)
{
    return d->constraints.nconstraint > 0 && d->violations.position > cd_drift_violation &&
           residual->max_residual <=
               cd_drift_safety_factor *
                   residual_of_violation(
                       d, fmax(residual->term_scale, cd_cancelled_term_share * residual->cancelled_scale));
}
