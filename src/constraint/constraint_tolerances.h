// SPDX-License-Identifier: BSD-3-Clause
// Tolerances of constraints. [-]: relative. None depends on masses.
#pragma once

// ---- rows

// [-] Entry of a row relative to the sum of the magnitudes of its terms: round-off, set to zero, so that a row that no
// velocity moves has norm zero.
static const double cd_row_entry_roundoff = 1e-14;
// [-] The same for components of rows on free bodies, squared, relative to the squared components of their kind.
static const double cd_row_component_roundoff_sq = 3e-28;

// ---- joints

// [-] Pivot relative to the largest entry of the equations of joint velocities: below, least squares are used instead of
// elimination. No rank decision.
static const double cd_joint_pivot_tolerance = 1e-6;
// [-] Squared sine between the axes of a universal joint: a smaller one is gimbal lock, where its angles are not
// determined.
static const double cd_universal_axes_sine_sq = 1e-6;
// [-] Pivot relative to the largest of these least squares: a smaller one is a motion without coordinate.
static const double cd_joint_rank_tolerance = 1e-12;
// [-] The same for wrenches with prescribed directions, which are replaced by the motion axes below it.
static const double cd_wrench_rank_tolerance = 1e-9;
// [-] Norm of a column of a general joint after orthogonalization, relative to its norm: a smaller one is dependent, as
// in gimbal lock.
static const double cd_joint_dependence_tolerance = 1e-8;
// [-] Entry relative to the norm of a column: threshold of the sign of a reflection. Not 0, an exact value of many
// entries, where round-off would decide.
static const double cd_reflection_threshold = -0.7;
// [rad, m] Residual of a general joint: above, the search starts again elsewhere; a closed joint; converged to round-off.
static const double cd_joint_restart_residual = 0.1, cd_joint_closed_residual = 1e-9,
                    cd_joint_converged_residual = 4e-16;
// [rad, m] Change of the coordinates in a step: below, the step is accepted although round-off prevents a decrease.
static const double cd_joint_small_change = 1e-7;
// [rad^2, m^2] Product of change, and change plus residual: the next change is round-off (quadratic convergence).
static const double cd_joint_next_change_sq = 1e-16;
// [rad, m] Change in the refinement of a general joint: round-off.
static const double cd_joint_change_roundoff = 1e-15;

// ---- curves and rolling

// [-] Distance from the curve relative to its extent: above, the nearest point is searched along the whole curve.
static const double cd_foot_search_distance = 1e-3;
// [-] Round-off of foot points relative to the extent of the curve; of positions in the world relative to 1 m + distance.
static const double cd_foot_point_roundoff = 1e-12, cd_world_position_roundoff = 1e-14;
// [-] Step along the curve relative to 1 m + distance from the origin: Newton's method has converged.
static const double cd_foot_step_tolerance = 1e-15;
// [-] Growth of the squared distance that is round-off: a step with a larger growth is halved.
static const double cd_foot_distance_growth_sq = 1e-12;
// [-] Sine of the angle by which the direction changes at a knot: a larger one is a corner.
static const double cd_curve_corner_sine = 1e-6;
// [-] Distance of a parameter from a corner relative to the period: a smaller one is the corner itself.
static const double cd_curve_corner_tolerance = 1e-9;
// [-] Sine between the axis of a disc and the normal of the plane: flat on the plane below, the contact is any point of
// the rim.
static const double cd_flat_disc_sine = 1e-9;
