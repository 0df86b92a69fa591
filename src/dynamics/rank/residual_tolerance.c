// SPDX-License-Identifier: BSD-3-Clause
// Rows that accelerations do not satisfy: whether that is a contradiction, or rounding, or gaps of the state.
#include "dynamics/rank/residual_tolerance.h"

#include "math/norm_inf.h"

#include <cardan/assemble.h>
#include <math.h>

static const double cancellation_roundoff =
    1e-5; // of contradiction: a row below this part of what cancelled is its rounding
static const double significant_residual =
    1e-5; // of rows, relative: least squares may have solved what has no solution

// Rows that depend on each other agree only where the constraints are satisfied: beside them, as at the stages of a
// step, they contradict each other as far as there are gaps, and that is no error of the model. A gap moves a state by
// gap/s, and accelerations by that over s: away from singular poses 1/s^2 is at most 1/cd_near_singular_ratio_sq. Beyond `no_gap`
// rows contradict each other by themselves.
static const double max_residual_ratio = 1e-2, drift_threshold = 1e-7, drift_safety_factor = 10,
                    projected_velocity_violation = 1e-10;

// [units/s^2] What gaps make of rows whose terms are of this size.
static double residual_of_violation(cardan_data* d, double term_scale)
{
    double position, velocity;
    cd_scaled_violations(d, &position, &velocity);
    const double max_speed = cd_velocity_norm_inf(d, d->v), baumgarte_rate = d->baumgarte_rate;
    return (position * (term_scale + max_speed * max_speed + baumgarte_rate * baumgarte_rate) +
            velocity * (max_speed + baumgarte_rate)) /
           cd_near_singular_ratio_sq;
}

// What rows ask for to close their gaps contradicts as much as the gaps do.
static double baumgarte_residual(const cardan_data* d)
{
    return d->baumgarte_rate * (d->baumgarte_rate * d->violation + 2 * d->velocity_violation);
}

// The part of rows that may be missed: where loops are closed, velocities that are hardly larger than their own gaps
// are rounding, and so is all that rows make of them, as long as they are no more than projections leave.
static double residual_allowance(cardan_data* d)
{
    const double max_speed = cd_velocity_norm_inf(d, d->v);
    double       position, velocity;
    cd_scaled_violations(d, &position, &velocity);
    return position <= drift_threshold && velocity <= projected_velocity_violation &&
                   velocity > max_residual_ratio * max_speed
               ? drift_safety_factor
               : max_residual_ratio;
}

static bool explained_by_violation(cardan_data* d, const cd_acceleration_residual* residual)
{
    if (d->velocity_damping_rate > 0) return false; // the caller can do without
    const double term_scale = fmax(residual->term_scale, cancellation_roundoff * residual->cancelled_scale);
    return residual->max_residual <=
           fmin(residual_allowance(d) * term_scale + baumgarte_residual(d), residual_of_violation(d, term_scale));
}

// Formulations suspect; rows that ask for nothing contradict nothing, and what is left of them is judged by the sizes
// of all that cancelled, the same for all formulations.
static bool explained_by_roundoff(const cd_acceleration_residual* residual)
{
    return cd_residual_exceeds_rhs(residual) &&
           residual->max_residual <= significant_residual * cancellation_roundoff * residual->cancelled_scale;
}

bool cd_residual_is_significant(const cd_acceleration_residual* residual)
{
    return cd_relative_residual(residual, cancellation_roundoff) > significant_residual;
}

bool cd_residual_is_explained(cardan_data* d, const cd_acceleration_residual* residual)
{
    return explained_by_roundoff(residual) || explained_by_violation(d, residual);
}

bool cd_residual_is_drift(cardan_data* d, const cd_acceleration_residual* residual)
{
    return d->constraints.nconstraint > 0 && d->violation > drift_threshold &&
           residual->max_residual <=
               drift_safety_factor * residual_of_violation(d, fmax(residual->term_scale,
                                                                   cancellation_roundoff * residual->cancelled_scale));
}

cardan_status cd_fail_drift(cardan_data* d, int row, cardan_report* report)
{
    int i = 0;
    while (i < d->constraints.nconstraint - 1 && row >= d->constraints.constraint[i + 1].first_row) ++i;
    const cd_constraint* c = &d->constraints.constraint[i];
    return cardan_fail(report, CARDAN_INCONSISTENT, CARDAN_CODE_CONSTRAINT_DRIFT, c->location,
                       "at t = %.9g s the loops of '%s' have drifted apart, by %.2g m or rad and %.2g m/s or rad/s: "
                       "constraints that repeat each other where loops are closed "
                       "contradict each other there, as at %s '%s'; stabilization by projection keeps loops closed",
                       d->t, d->m->view.name, d->violation_si, d->velocity_violation_si, c->category, c->name);
}
