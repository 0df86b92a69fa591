// SPDX-License-Identifier: BSD-3-Clause
// Tolerances of runs: unit, the quantity that is compared with it, and the reason for the value. s, sigma: smallest
// singular value of the scaled constraint rows, relative to its running maximum; names of squared quantities end in
// _sq. Lengths relative to length_scale count as radians. Limits of iterations are in the files of the iterations.
#pragma once

#include <float.h>

// ---- state and evaluation

// [SI units] Coordinates, velocities and states: larger values are not those of a mechanism; their squares are finite.
static const double cd_value_max = 1e30;
// [-] Residual of the equations of motion, relative to their terms: without effect on a step at the smallest tolerance.
static const double cd_residual_tolerance = 1e-11;
// [m/s, rad/s] Residual of constraint rates: removed by the projection of the next step.
static const double cd_row_residual_tolerance = 1e-11;
// [m, rad] Violation: larger ones are projected before an evaluation, since one correction with its factor is not
// sufficient.
static const double cd_projected_first_violation = 1e-3;
// [m, rad] The same with redundant rows, which are inconsistent by the violation.
static const double cd_projected_first_redundant_violation = 1e-7;
// [m, rad] Violation: compliance of compliant rows grows with its square; smaller ones have no effect on accelerations.
static const double cd_softening_violation = 1e-12;
// [-] s^2: above it compliant rows are accurate.
static const double cd_compliant_sigma_sq = 1e-2;
// [m, rad] Violation after a window: larger ones make accelerations by compliant rows inaccurate.
static const double cd_inaccurate_compliant_violation = 1e-8;

// ---- start and end of a run

// [m, rad; m/s, rad/s] Violation of a start state: a smaller one is accepted as it is; larger ones are assembled.
static const double cd_start_violation = 1e-8;
// [-] Number of steps or output intervals: a fraction below it is round-off.
static const double cd_count_roundoff = 1e-9;
// [-] Number of samples of a run: beyond it the output interval is a mistake.
static const double cd_samples_max = 1e9;
// [s] Span of a run without end: steps are at most a tenth of it, and discontinuities are searched in windows of it.
// Long compared with the period of a mechanism of some meters, short compared with a session at a screen.
static const double cd_endless_run_span = 10;
// [rad] Motion in the time looked ahead for the limit of the workspace: a limit farther ahead may be missed.
static const double cd_travel_ahead_max = 0.1;
// [-] Violation relative to min(1 m, length_scale): larger ones are visible, and reported.
static const double cd_large_violation_fraction = 1e-4;
// [-] Time before the end of the driver domain, relative to the run: failures there are attributed to the driver.
static const double cd_domain_end_fraction = 1e-3;

// ---- stabilization

// [m, rad] Violation after a projection: near singular configurations a smaller one cannot be reached, later steps
// remove it, and the summary reports it.
static const double cd_accepted_violation = 1e-6;
// [-] Violation relative to the tolerance: a larger one restarts a multistep method, which does not see projections.
static const double cd_restart_violation_factor = 1e4;
// [-] Time of the run relative to the longest step: after it the step size of an adaptive method has settled.
static const double cd_settled_steps = 10;
// [-] Velocity violation relative to the velocities: a row sums some dozens of terms.
static const double cd_velocity_roundoff = 32 * DBL_EPSILON;
// [-] Pivot relative to the largest: below it a row is redundant.
static const double cd_partition_rank_tolerance = 1e-9;
// [-] Growth of the influence of independent coordinates since the selection: a larger one selects again.
static const double cd_partition_outdated_ratio = 2;
// [m, rad] Violation at which the iteration ends: near round-off for mechanisms of some meters.
static const double cd_partition_violation_target = 1e-12;
// [m, rad] Violation at which the iteration may stagnate: redundant rows, round-off.
static const double cd_partition_violation_accepted = 1e-10;
// [-] Scale of a row relative to its constraint: smaller rows would amplify round-off.
static const double cd_partition_row_scale_min = 1e-3;

// ---- events and discontinuities

// [-] Distance from a limit relative to the tolerance and its size: within it a joint does not change its side.
static const double cd_hysteresis_fraction = 1e-3;
// [-] Distance from a corner relative to the parameter range: a point this close starts at the corner.
static const double cd_corner_tolerance = 1e-8;
// [-] Path from a corner back to it relative to the extent of the curve: a shorter one counts as standstill.
static const double cd_corner_standstill_tolerance = 1e-8;
// [-] Difference of times in smallest steps: below it they are equal up to round-off.
static const double cd_discontinuity_roundoff_steps = 64;
// [-] Difference of times in units of round-off: to this a discontinuity is located.
static const double cd_discontinuity_time_roundoff = 8;
// [-] Change of accelerations relative to that of a longer step: a jump persists, a smooth change does not.
static const double cd_jump_persistent_fraction = 0.5;
// [-] Length of the first rejected step relative to that of the detecting one: a smooth change is an eighth then.
static const double cd_jump_detection_ratio = 8;
// [-] Error of the step across a jump relative to the error scale: without effect on the error of the run.
static const double cd_jump_error_fraction = 0.01;
// [-] Distance between jumps in step lengths: closer ones belong to one cluster.
static const double cd_jump_cluster_distance = 100;

// ---- integrators

// [-] Residual relative to the allowed error: smaller ones need no further test.
static const double cd_newton_small_residual = 10;
// [-] Residual relative to that of the iteration before: required of larger residuals.
static const double cd_newton_residual_reduction = 0.5;
// [-] Convergence rate: above it the iteration fails.
static const double cd_newton_useful_rate = 0.9;
// [-] Weight of the earlier convergence rate: a single good iteration is not trusted.
static const double cd_newton_rate_memory = 0.3;
// [-] Convergence rate: above it a new Jacobian is evaluated.
static const double cd_newton_slow_rate = 0.3;
// [-] Remaining error of the iteration relative to the allowed error of the step: without effect on it.
static const double cd_newton_tolerance = 0.02;
// [-] Tolerance of the run: above it the iteration stays as accurate as at it; steps may be short for other reasons.
static const double cd_newton_finest_tolerance = 1e-5;
// [-] Pivot relative to the largest: below it a row is redundant.
static const double cd_independent_row_pivot = 1e-9;
// [-] Smallest pivot relative to that at the selection: below it the rows are selected again.
static const double cd_independent_row_outdated = 0.1;
// [-] Squared mobility relative to its bound: below it the mobility is round-off.
static const double cd_mobility_roundoff_sq = 1e-20;
// [-] Epsilon relative to the smallest stable one: the stability bound is an estimate.
static const double cd_epsilon_margin = 2.5;
// [-] Step of a window relative to the step set: below it the inherited violation is removed by an impulse.
static const double cd_short_window_step_fraction = 0.1;

// ---- distance from singular configurations, in s

// [-] s: below it formulations treat rows as linearly dependent, and the sign of s is noise.
static const double cd_null_sigma = 1e-5;
// [-] s: below it a crossing is located.
static const double cd_located_sigma = 1e-6;
// [-] s: smaller values are singular; so are values below sqrt(c) at tolerated violations c, since c = s y + k y^2.
static const double cd_singular_sigma = 1e-3;
// [-] s at a node: above it round-off of accelerations is negligible.
static const double cd_noise_free_sigma = 1e-3;
// [-] Minimum of s: a smaller one is reported.
static const double cd_reported_sigma = 0.01;
// [-] s^2 of a start, from its pivots alone: below it the start is examined.
static const double cd_suspect_sigma_sq = 0.01;
// [-] s: below it a singular configuration may be within a short step.
static const double cd_near_sigma = 0.1;
// [-] s^2: three times as far from the singular configuration as near_singular; most of a run is above it.
static const double cd_regular_sigma_sq = 0.1;
// [-] s: no window from there crosses a singular configuration.
static const double cd_far_sigma = 0.3;
// [-] s^2 by pivots: smaller ones may be small because of the choice of coordinates.
static const double cd_doubtful_sigma_sq = 0.3;
// [-] s at one check: not zero at the next one, since nothing moves by more than 0.3 between them.
static const double cd_tracked_regular_sigma = 0.5;
// [-] s relative to that of a singular configuration: above it the configuration is left.
static const double cd_leaving_sigma_ratio = 10;
// [-] Singular value of scaled rows relative to the largest: rank decision at a standstill, on the constraints.
static const double cd_standstill_null_sigma = 1e-6;

// ---- conditioning of the constraints

// [m, rad] Violation: below it redundant rows are seen, since their pivots, proportional to its square, are far
// below those of null rows.
static const double cd_closed_violation = 1e-9;
// [m, rad] Violation: smaller ones do not hide a singular configuration from a far state.
static const double cd_hiding_violation = 1e-3;
// [-] Running maximum of a scaled row: smaller ones are round-off.
static const double cd_zero_row_norm = 1e-9;
// [-] Row relative to the largest of its constraint: such rows are zero on the constraints, and violations of steps
// are smaller.
static const double cd_negligible_row_fraction = 1e-2;
// [-] Cosine: a direction that rotates by less than 60 degrees in a step is the same one, continued.
static const double cd_same_direction_cosine = 0.5;
// [-] Change of 1/s^2: gives s to half a percent, where factors of three decide.
static const double cd_sigma_converged_change = 1e-2;
// [-] 1/s^2 relative to the largest: the rows restrict such a direction, and the iteration leaves it.
static const double cd_sigma_dropped_fraction = 0.1;
// [-] Part of other directions added to a singular vector: two iterations amplify the weakest by (s2/s)^4, a factor
// of three by 100.
static const double cd_direction_perturbation = 1e-3;
// [-] Residual of inverse iterations: rows may belong to another configuration than the factor, so refinement is
// useless.
static const double cd_loose_residual_tolerance = 1e3;
// [rad] Motion between two checks: singular vectors can be tracked.
static const double cd_travel_between_checks_max = 0.3;
// [-] Rate of s relative to |v|: upper bound.
static const double cd_sigma_rate_factor = 4;

// ---- singular events and branches

// [-] Bracket of a crossing relative to the time between the points.
static const double cd_crossing_time_tolerance = 1e-6;
// [-] Difference of times relative to the time between points: the same configuration, of several groups.
static const double cd_same_time_fraction = 1e-3;
// [-] s relative to its neighbours: a point that small is a separate singular configuration.
static const double cd_isolated_minimum_ratio = 0.2;
// [-] s relative to the points: where the smallest singular values of two loops are exchanged, s does not fall below.
static const double cd_crossing_ratio = 0.7;
// [-] Relative difference of the slopes of s on both sides: below it s passes zero.
static const double cd_asymmetry_max = 0.3;
// [-] s^2 relative to the violation |c|: smaller ones hide the sign of s.
static const double cd_hidden_violation_factor = 10;
// [-] Velocity change not explained by accelerations, relative to the velocity: another branch.
static const double cd_branch_velocity_change = 0.1;
// [-] The same between two updates: a branch switch is abrupt; a prescribed motion with less is smooth.
static const double cd_branch_velocity_bend = 0.03;
// [-] Smooth velocity change relative to the velocity: with a larger one no branch switch is concluded.
static const double cd_smooth_velocity_change_max = 0.5;
// [-] Violation relative to s^2: a larger one leads to another branch, even slowly.
static const double cd_leading_violation_fraction = 0.02;
// [-] Advance in thousands of evaluations relative to the longest step: a run that advances less is stalled.
static const double cd_stalled_progress_fraction = 0.1;
// [-] Step relative to the longest one, near a singular configuration: shorter steps do not advance.
static const double cd_fallback_step_fraction = 1e-3;
// [-] Velocity relative to that at the approach: below it the direction of v becomes noise.
static const double cd_slow_velocity_ratio = 1e-3;
// [rad/s] Joint speed: round-off of a driver at standstill.
static const double cd_standstill_speed = 1e-9;
// [-] Operations of the singular values: larger mechanisms are not examined.
static const double cd_standstill_operations_max = 1e8;
// [rad] Distance from a singular configuration: its rows are nearly null, all others are not, and those of other
// loops may be near.
static const double cd_loop_probe_distance = 0.005;
// [-] Distance of the second probe relative to the first: singular values are proportional to the distance.
static const double cd_far_probe_ratio = 5;
// [-] Singular value at the near probe relative to the far one: larger ones do not vanish.
static const double cd_probe_decrease_max = 0.6;
// [-] Force relative to the largest: smaller parts are caused by the distance of the probe.
static const double cd_significant_force_fraction = 0.05;

// ---- limit accelerations and reactions

// [-] Noise in a step of 1/|v| relative to the tolerance: above it the limit is used.
static const double cd_noise_tolerance_factor = 2;
// [-] s at a node relative to s at the state: less gains no accuracy.
static const double cd_node_sigma_ratio = 3;
// [m, rad] Violation at a node: outside the workspace no configuration satisfies the constraints.
static const double cd_node_violation_max = 1e-9;
// [1/rad] |a|/|v|^2: within 5T the path bends by half of itself.
static const double cd_curvature_ratio_max = 10;
// [-] Difference relative to the interpolation error: noise, whatever the estimate is.
static const double cd_evident_noise_factor = 10;
// [-] Difference relative to the interpolation error: a larger one is noise of the state.
static const double cd_noise_factor = 3;
// [-] Part c/(u - r) relative to f at the nodes: a smaller one is round-off.
static const double cd_pole_tolerance = 1e-5;
// [-] Reaction relative to the largest of all: smaller ones are zero.
static const double cd_negligible_reaction_fraction = 1e-6;
// [-] Difference between four and six nodes relative to f.
static const double cd_reaction_convergence_tolerance = 1e-3;
// [rad] Distance of a pole: below it the side of the singular configuration is unknown.
static const double cd_pole_distance_min = 1e-5;
// [-] Distance of a pole relative to the nearest node: one farther away does not belong to this configuration.
static const double cd_pole_distance_max = 0.5;

// ---- other monitors

// [-] Violation of the last block of steps relative to the first: growth.
static const double cd_violation_growth_factor = 4;
// [-] Violation relative to length_scale: smaller ones do not change results.
static const double cd_visible_violation_fraction = 1e-5;
// [-] Norm of a direction of unit size: below it the direction nearly vanishes.
static const double cd_weak_direction_norm = 1e-2;
// [-] Energy error relative to the kinetic energy: above it the results are not the motion of the mechanism.
static const double cd_energy_error_max = 0.1;
// [-] Energy error relative to all energies and the tolerance: local errors accumulate, but not to this.
static const double cd_energy_error_per_tolerance = 1e4;
// [-] Smallest limit of the same.
static const double cd_energy_error_min = 1e-4;
// [m, rad] Violation: larger ones change accelerations by more than the difference allowed for code.
static const double cd_compared_violation_max = 1e-11;
// [rad] Rotation of an off-tree joint in a step: winding numbers need less than half a revolution.
static const double cd_winding_rotation_target = 2;
// [rad] The same: above it the step is repeated.
static const double cd_winding_rotation_max = 2.5;
// [-] Step relative to the time in which a free body rotates by 2 rad: relative rotations are up to twice as large.
static const double cd_winding_maximal_target_fraction = 0.56;
// [-] The same: above it the step is repeated.
static const double cd_winding_maximal_max_fraction = 0.7;
// [rad] Rotation that need not be counted.
static const double cd_winding_uncounted_max = 0.25;
// [-] Advance of a window of steps relative to the run: with changes of side, a window that advances less is stalled.
static const double cd_chattering_stalled_fraction = 8e-5;
// [-] The same near a discontinuity, even without changes of side.
static const double cd_chattering_slow_fraction = 4e-8;
// [-] Argument of a switching function relative to its largest so far: near a discontinuity.
static const double cd_near_switch_fraction = 1e-3;

// ---- prescribed motion

// [rad] Prediction of a step: Newton's method converges to the same branch.
static const double cd_prediction_max = 0.5;
// [rad] The same if singular configurations may be passed: singular vectors are tracked from step to step.
static const double cd_prediction_max_monitored = 0.2;
// [rad] Correction of a step: branches that meet at a singular configuration soon are farther apart.
static const double cd_correction_max = 0.01;
// [rad] The same near singular configurations, where the branches are close.
static const double cd_correction_max_near_singular = 1e-6;
// [rad] Step times the change of velocity that accelerations do not explain.
static const double cd_velocity_change_max = 0.2;
// [-] h a / v: at the limit of the workspace accelerations are unbounded relative to the velocities.
static const double cd_acceleration_ratio_max = 10;
// [-] Step relative to the output interval: shorter ones do not find the motion either.
static const double cd_min_step_fraction = 1e-10;

// ---- rigid contacts; L: size of the shapes, V: largest speed of contacts

// [-] Gap relative to L: within it a point touches at an event. Larger than the round-off of gaps, smaller than motions that
// matter.
static const double cd_contact_touch_gap = 1e-9;
// [-] Distance relative to L of two points of a pair: smaller ones are the same contact at other features.
static const double cd_contact_same_place = 1e-6;
// [-] Gap relative to L: points within it are looked for at an event.
static const double cd_contact_search_margin = 1e-2;
// [-] Overlap relative to L at the start: smaller ones are removed, as rounding of the description.
static const double cd_contact_start_overlap = 1e-6;
// [-] Gap relative to L that remains after its correction: larger ones are squeezed by joints and drivers.
static const double cd_contact_squeezed_gap = 1e-6;
// [-] Round-off of gaps relative to L.
static const double cd_contact_gap_roundoff = 1e-14;
// [-] Round-off of speeds relative to V.
static const double cd_contact_speed_roundoff = 1e-13;
// [-] Round-off of contact forces relative to the largest one; also resolves the time at which friction reaches its limit.
static const double cd_contact_force_roundoff = 1e-11;
// [-] Difference of margins relative to the largest force: contacts at their limits together.
static const double cd_contact_force_equal = 1e-8;
// [-] Excess over a limit relative to the largest force: up to it the directions at the limit are those of the motion.
static const double cd_contact_force_slightly = 1e-5;
// [-] Speed relative to V: the residual of impacts and corrections is smaller.
static const double cd_contact_rest_speed = 1e-10;
// [-] Speed relative to V at the time at which its direction reverses: in space it is the error of the step, not zero.
static const double cd_contact_stop_speed = 1e-7;
// [-] Cosine of the angle between the directions of slip at the start of a step and now, below the stop speed.
static const double cd_contact_turned = 0.9;
// [-] Ratio of two successive flights: above it their limit is too far away to be extrapolated.
static const double cd_contact_bounce_ratio = 0.999;
// [-] Flight relative to the time that has passed: shorter ones do not matter.
static const double cd_contact_bounce_flight = 1e-6;
// [-] Approach speed relative to the largest one so far: slower impacts are inelastic.
static const double cd_contact_bounce_speed = 1e-6;
// [-] Change of velocities by free motion before an impact without collision: small, and larger than the residual of the law.
static const double cd_contact_jam_speed = 1e-7;
// [-] Time relative to the run: transitions within it follow each other at once.
static const double cd_contact_burst = 1e-10;
// [-] Factor of the relative speed at the end of a step for its growth in the next one.
static const double cd_contact_speed_margin = 2;
// [-] Part of the thicknesses of two shapes that they may move between two evaluations of their gap.
static const double cd_contact_thickness_part = 0.5;
// [-] Contact force relative to the weight of the mechanism: smaller ones are compared with it.
static const double cd_contact_weight_part = 1e-6;
