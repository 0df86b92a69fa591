// SPDX-License-Identifier: BSD-3-Clause
// Tolerances of evaluations: unit, the quantity that is compared with it, and the reason for the value. s, sigma:
// singular value of constraint rows of unit size; names of squared quantities end in _sq. [units]: rad and length_unit
// (cd_unit_scales). Limits of iterations are in the files of the iterations.
#pragma once

// ---- state and scales

// [-] Extent of a mechanism relative to the coordinates in its description: a smaller one is their round-off.
static const double cd_coordinate_roundoff = 1e-12;
// [-] Lever arm or distance between joints relative to the design length: a smaller one is round-off and no length.
static const double cd_zero_length_ratio = 1e-9;
// [-] Translational part of a row relative to its rotational part: a row with a smaller one has the unit of rotations.
static const double cd_min_row_translation_ratio = 1e-6;
// [-] Distance from the end of a curve relative to its parameter range: a smaller one is at the end.
static const double cd_curve_end_tolerance = 1e-8;
// [1/s] Rate of the curve parameter at the end: a smaller one is round-off of a follower at rest.
static const double cd_curve_end_rate = 1e-8;
// [-] Norm of a direction vector, at most 1: a smaller one does not define the equations of its constraint.
static const double cd_zero_direction_norm = 1e-9;
// [-] s^2 relative to its maximum along the run: below it a configuration is near singular, and a position violation is
// amplified a thousandfold in the accelerations.
static const double cd_near_singular_ratio_sq = 1e-3;
// [rad, length_scale] Difference between redundant driver functions: round-off of their evaluation.
static const double cd_driver_redundancy_tolerance = 1e-11;

// ---- projection

// [units; for velocities relative to max(1, speed)] Violation: a projection ends below it, and the state is on the
// constraints. Near round-off for mechanisms of some meters.
static const double cd_projection_tolerance = 1e-12;
// [-] Violation relative to the tolerance: accepted if the iteration stalls, by round-off of ill-conditioned rows.
static const double cd_stalled_acceptance_factor = 100;
// [units] Change of positions by one correction: the violation after it is its square, negligible against the drift
// of a step; after a larger one the iteration is continued.
static const double cd_single_correction_change = 1e-3;
// [-] Violation relative to that of the iteration before: above it the matrix is factorized again, which takes as long
// as some iterations.
static const double cd_slow_convergence_ratio = 0.1;
// [-] The same with the factor of the state: above it the iteration makes no progress.
static const double cd_stalled_convergence_ratio = 0.5;
// [-] Velocity violation relative to max(1, speed): a smaller one results from position errors and requires a small
// change of velocities.
static const double cd_small_velocity_violation = 1e-6;
// [-] Change of velocities relative to max(1, speed): a larger one is implausible for a small violation.
static const double cd_max_velocity_change = 1e-2;
// [-] Round-off of positions in units of DBL_EPSILON times their size: a row sums a few terms. At singular
// configurations in units of sqrt(DBL_EPSILON) times the speed.
static const double cd_position_roundoff_factor = 4;
// [-] Violation relative to the redundancy error of the rows: larger than 1 where the rows that they depend on are near
// singular.
static const double cd_redundancy_violation_factor = 1e3;
// [-] Violation in units of DBL_EPSILON at which a projection near a singular configuration ends: round-off of a term.
static const double cd_near_singular_roundoff_factor = 2;
// [-] s^2 relative to the violation: rows with smaller ones are ignored, since the change c/s is not small against s.
static const double cd_ignored_row_violation_factor = 10;
// [-] s^2: rows with larger ones are never ignored.
static const double cd_max_ignored_row_sigma_sq = 1e-4;
// [-] Residual of holonomic rows relative to the violation: larger ones depend on nonholonomic rows.
static const double cd_unsatisfied_row_ratio = 0.1;
// [-] The same: the conjugate gradients end below it; the next correction removes the remainder.
static const double cd_slip_converged_ratio = 1e-6;
// [-] Slip of nonholonomic rows relative to the violation: a larger one comes from nearly independent rows.
static const double cd_max_slip_ratio = 1e3;
// [-] Decrease of the sum of squared residuals in an iteration, relative to it: a smaller one is round-off.
static const double cd_min_slip_gain_sq = 0.01;

// ---- rank

// [-] Singular value relative to max(1, largest): smaller ones are zero, up to the digits of a description.
static const double cd_singular_value_tolerance = 1e-9;
// [-] The same for a description that closes its loops exactly: only round-off of assembly.
static const double cd_exact_singular_value_tolerance = 3e-10;
// [rad, design_length] Norm of the scaled violations in the analysis of the rank: ten times it is assembled; below it
// a decrease that is not significant is round-off.
static const double cd_rank_violation_tolerance = 1e-11;
// [rad, design_length] The same: the iteration ends, because nothing can be gained.
static const double cd_rank_violation_roundoff = 1e-15;
// [-] Decrease of this norm in a step, relative to it: a smaller one is no progress.
static const double cd_min_rank_violation_decrease = 1e-6;
// [rad, design_length] Largest change of a coordinate in a step of this assembly: the rows are nearly linear in it.
static const double cd_max_rank_assembly_step = 0.5;
// [-] Part of an arbitrary motion in the null space, relative to the motion: a smaller one is round-off.
static const double cd_motion_roundoff = 1e-7;
// [-] Displacement of a configuration nearby relative to the one intended: with a smaller one assembly has returned to
// the start.
static const double cd_min_nearby_displacement = 0.1;

// [-] s: a row that never exceeds it is redundant, also in the diagnosis and in assembly.
static const double cd_max_redundancy_error = 1e-9;
// [-] s, relative to the size of the loop: above it a row is independent.
static const double cd_independent_sigma = 1e-6;
// [-] Remaining norm of a column in the elimination relative to s: upper bound, for the search of doubtful columns.
static const double cd_elimination_sigma_factor = 100;
// [-] s: below it the pivots of an elimination, its squares, are round-off, and cannot decide the rank.
static const double cd_decidable_sigma = 1e-7;
// [-] s per row: round-off of singular values.
static const double cd_sigma_roundoff_per_row = 5e-16;
// [-] Violation at configurations nearby relative to the redundancy error: accepted.
static const double cd_redundancy_nearby_factor = 100;
// [-] Rank tolerance relative to the redundancy error: s varies between configurations.
static const double cd_redundancy_cutoff_factor = 10;
// [-] Redundancy error that is passed to formulations: upper limit, so that independent rows are kept.
static const double cd_max_reported_redundancy_error = 1e-6;
// [-] Entry of a singular vector relative to the largest: a smaller one is caused by other loops.
static const double cd_significant_row_share = 0.05;

// [-] Entry of a row relative to its terms: a constraint with smaller ones only is round-off of the description, as in
// assembly.
static const double cd_negligible_constraint_ratio = 3e-9;
// [-] Moment of inertia about a principal axis relative to the sum of the three: a smaller one is zero.
static const double cd_principal_inertia_roundoff = 1e-9;
// [-] The same relative to the moments about the origin of the link: round-off of m r^2 of a small body far from it.
static const double cd_shifted_inertia_roundoff = 1e-14;
// [-] Pivot of a motion, its velocity and all rows in units: a smaller one is not determined.
static const double cd_undetermined_pivot = 1e-12;

// [-] Residual of the rows relative to the largest of their terms: of satisfied rows it is round-off of the solve.
static const double cd_relative_row_tolerance = 1e-10;
// [-] The same near a singular configuration: rows that are dependent only there hold to it.
static const double cd_near_singular_row_tolerance = 1e-4;
// [-] Accelerations relative to those of the first rank test: larger ones come from inconsistent rows.
static const double cd_max_acceleration_ratio = 100;
// [-] Residual relative to max |gamma|: inconsistent rows never have a larger one.
static const double cd_max_inconsistent_residual = 1e3;
// [-] Share of accelerations due to constraint forces in the scale of cancelled terms: they are large for light bodies.
static const double cd_constraint_force_share = 1e-4;
// [-] Factor of accelerations of motions without inertia in the same scale: the elimination adds 1e-7 of the inertia
// scale, so that round-off of the forces appears as accelerations much larger than those of that scale.
static const double cd_proximal_acceleration_factor = 1e4;
// [-] Share of cancelled terms in the scale of residuals: their round-off.
static const double cd_cancelled_term_share = 1e-5;
// [-] Residual relative to its scale: a least-squares solution of inconsistent rows has a larger one.
static const double cd_significant_residual = 1e-5;
// [-] The same: a larger one is not explained by a violation. Velocity violation relative to the speed: with a larger
// one the velocities themselves are round-off.
static const double cd_max_explained_residual = 1e-2;
// [-] The same for such velocities; residual relative to that of a violation, whose estimate has this uncertainty.
static const double cd_drift_safety_factor = 10;
// [units] Violation: with a larger one a residual is reported as drift, else as inconsistent constraints.
static const double cd_drift_violation = 1e-7;
// [units/s] Velocity violation that a projection leaves: a larger one is no round-off.
static const double cd_projected_velocity_violation = 1e-10;

// ---- reactions

// [-] Wrenches of a self-stress after orthogonalization, relative to them: smaller ones are dependent on the others.
static const double cd_self_stress_independence = 1e-9;
// [-] Wrench of a joint, or multiplier, in a self-stress of unit norm: with a larger one the reaction is not unique. A
// smaller one is round-off of the null space, which is computed to cd_singular_value_tolerance.
static const double cd_self_stress_roundoff = 1e-6;
// [-] Ratio of singular values: those within this factor vanish at the same configuration.
static const double cd_same_singularity_ratio = 10;
// [-] Eigenvalue of the mobility of motors, for a unit diagonal, relative to the largest: a smaller one is zero.
static const double cd_motor_rank_tolerance = 1e-10;
// [-] Entry of a null vector of the same matrix: a smaller one is round-off.
static const double cd_motor_null_vector_roundoff = 1e-10;
// [-] Mobility of a motor relative to that without constraints: a smaller one is round-off at a dead point.
static const double cd_dead_point_mobility = 1e-14;
// [-] Pivot of the mobility relative to its diagonal entry: a motor with a smaller one adds no motion.
static const double cd_motor_independence_pivot = 1e-9;
// [-] Accelerations that no motor produces relative to those without motors: smaller ones are zero.
static const double cd_motor_residual_tolerance = 1e-6;
// [-] Their squared norm in the mass metric relative to that of all forces: a smaller one is round-off.
static const double cd_motor_residual_roundoff_sq = 1e-20;
// [rad/s, min(1 m, length_scale)/s; the same per s] Rate of a driver function: a smaller one is round-off at rest.
static const double cd_driver_standstill_rate = 1e-9;
// [m/s, rad/s] Error of driver rates of unit size: with a larger one drivers are dependent; the solve is not refined.
static const double cd_driver_rate_tolerance = 1e-6;
// [-] Multiplier of a worm gear relative to the largest: a smaller one does not change the drive direction.
static const double cd_gear_multiplier_roundoff = 1e-12;
// [-] Pivot relative to the largest entry of the equations of gear losses: below, least squares are used instead of
// elimination. No rank decision.
static const double cd_gear_pivot_tolerance = 1e-6;
// [-] Pivot relative to the largest of these least squares: with a smaller one the gear jams.
static const double cd_gear_rank_tolerance = 1e-12;
// [-] Reactions that forces read, relative to the largest: residual at which the iteration has converged; residual that
// is accepted if round-off prevents a smaller one; step of differences, and distance of two solutions.
static const double cd_reaction_tolerance = 1e-12, cd_reaction_rounding = 1e-9, cd_reaction_difference = 1e-5;
// [-] Pivot relative to the largest of 1 - K: with a smaller one no solution or several exist.
static const double cd_reaction_rank_tolerance = 1e-10;

// ---- generated code

// [-] Relative change of the state that shows the round-off of accelerations: some units in the last place.
static const double cd_state_perturbation = 1e-13;
// [-] Difference of generated code relative to the largest acceleration: formulations differ by less, except close to
// singular configurations. Above it the round-off is measured, and the code is not used if the difference is larger.
static const double cd_generated_difference_tolerance = 1e-8;
// [-] Factor of that round-off in the size of accelerations: a difference of ten times it is then the tolerance.
static const double cd_generated_noise_factor = 1e9;
// [-] Share of gravity and centripetal accelerations in the size of accelerations that cancel.
static const double cd_acceleration_scale_share = 1e-2;

// ---- choice of the formulation

// [operations] Estimate for a formulation: counting takes negligible time below.
static const double cd_quick_count_operations = 3e5;
// [operations] The same: nothing is counted above, since counting takes twenty evaluations.
static const double cd_max_counted_operations = 1e7;
// [-] Counted operations relative to the estimate: rarely lower.
static const double cd_min_count_ratio = 0.25;
// [-] Time of a division or square root relative to that of a product.
static const double cd_division_weight = 4;
// [multiplications] Work of the fronts of a reduction per velocity: below it they are narrow. Nets of 30 columns have
// 33,000, and are still about ten times faster.
static const double cd_narrow_front_work = 4e4;
// [-] Velocities in maximal coordinates relative to joint coordinates: with more a sparse matrix does not pay.
static const double cd_max_maximal_velocity_ratio = 2;

// ---- limits of operations and memory

// [multiplications] nrow^2 nv of singular values: at a start, where assembly nearby computes them many times; at every
// step, once.
static const double cd_redundancy_operations_max = 3e7, cd_self_stress_operations_max = 1e8;
// [numbers] Entries of all arrays of a self-stress.
static const double cd_self_stress_entries_max = 2e8;
// [multiplications] Sparse elimination for the rank: of a diagnosis; at a start.
static const double cd_sparse_rank_operations_max = 6e9, cd_sparse_rank_start_operations_max = 1e7;

// [-] v_d of regularized friction, relative to a typical speed: creep of this order below the friction limit.
static const double cd_friction_speed_fraction = 1e-4;
// [-] Step of explicit methods relative to the half period of a compliant contact: stable and of engineering accuracy.
static const double cd_contact_step_fraction = 0.2;
// [m] Penetration at which the stiffness along the normal is that of the brush, unless it is given.
static const double cd_brush_reference_penetration = 1e-3;
