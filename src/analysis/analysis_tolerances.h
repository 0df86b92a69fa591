// SPDX-License-Identifier: BSD-3-Clause
// Tolerances of the analyses. [-]: relative. "Lengths" are multiples of the length of the tangent space or of the
// length scale of the data, so that [rad, lengths] does not depend on the size of a mechanism. Steps of finite
// differences and limits of steps are defined where they are used.
#pragma once

// ---- tangent space and rank

// [-] Pivot (QR with column pivoting) or singular value relative to the largest: a smaller one marks a redundant row, a
// dependent column or a motion without stiffness. Far above the round-off of scaled rows, some 1e-14.
static const double cd_analysis_rank_tolerance = 1e-9;
// [-] Upper bound of the rank tolerance at states with a violation, which is added ten times: pivots of redundant rows
// are of the order of the violation; above this bound independent rows would count as redundant.
static const double cd_analysis_max_rank_tolerance = 1e-3;
// [-] Pivot relative to the largest: a smaller one may be due to a singular configuration nearby, which is tested at a
// probe state.
static const double cd_weak_pivot_tolerance = 1e-4;
// [-] Growth of the smallest pivot from the state to the probe state: more means a singular configuration. A pivot that
// is zero at the state grows by probe distance / round-off.
static const double cd_probe_pivot_growth = 300;
// [rad, lengths] Distance of probe states. Changes of a pivot are of this order, which is large compared with round-off
// and small compared with the curvature of the constraints.
static const double cd_probe_distance = 5e-4;
// [rad^2, lengths^2] Squared norm of a row: smaller rows are not scaled to unit norm, because they consist of round-off.
static const double cd_zero_row_norm_sq = 1e-12;
// [m, rad] Violation, or last correction of the positions, at which a projection ends: round-off of positions of 1 m.
static const double cd_analysis_projection_tolerance = 1e-13;
// [m, rad; with the largest velocity: m/s, rad/s] Violation that is accepted if round-off prevents further progress.
static const double cd_accepted_projection_violation = 1e-10;

// ---- derivatives and their round-off

// [-] Round-off of exact derivatives relative to their terms: some hundred times DBL_EPSILON.
static const double cd_derivative_roundoff = 3e-14;
// [-] Round-off of central differences of fourth order relative to the largest derivative: round-off of the function /
// step, 1e-13 / 1e-4. For gears with losses that depend on load.
static const double cd_difference_roundoff = 1e-9;
// [-] Scatter of a derivative at perturbed states relative to the largest derivative: more is not round-off; a force is
// discontinuous.
static const double cd_max_derivative_scatter = 1e-11;
// [-] Component of a scaled null vector (unit norm): smaller components are round-off of the decomposition.
static const double cd_null_vector_roundoff = 1e-14;

// ---- equilibrium

// [-] Residual force relative to the force scale: equilibrium, unless the options set another tolerance.
static const double cd_equilibrium_force_tolerance = 1e-10;
// [-] Times that tolerance: accepted where round-off prevents further progress.
static const double cd_equilibrium_accepted_factor = 1e3;
// [-] Times that tolerance: at which a run of Newton's method ends, so that its last step is not the limit.
static const double cd_equilibrium_newton_factor = 1e-3;
// [rad, lengths] Length of a descent step: shorter steps are left to Newton's method, which converges there.
static const double cd_equilibrium_newton_step = 0.1;
// [sizes of the scene] Gap of rigid contacts up to which they touch: as at the start of a run.
static const double cd_equilibrium_touch_gap = 1e-9;
// [sizes of the scene] Overlap that is refused, as at the start of a run.
static const double cd_equilibrium_overlap = 1e-6;
// [sizes of the scene] Gap up to which pairs of shapes are examined.
static const double cd_equilibrium_search_margin = 1e-2;
// [m/s] Velocity of contacts at rest: v = 0, so any positive value.
static const double cd_contact_rest = 1e-12;
// [-] Acceleration with contacts relative to that without them, or to gravity: zero. Above the tolerance of the cone law
// (1e-11), which light bodies next to heavy ones enlarge.
static const double cd_equilibrium_contact_residual = 1e-8;
// [-] Part of a descent step: the line search ends without result at a smaller part, where the change of the forces is
// round-off.
static const double cd_line_search_min_part = 1e-12;
// [-] Pivot relative to the largest of d(rates)/d(user states): a smaller one marks a state that no rate determines.
static const double cd_state_rank_tolerance = 1e-12;
// [-] Force along a motion relative to the force scale: a smaller one does not move the mechanism.
static const double cd_negligible_force = 1e-6;
// [-] Asymmetry of the stiffness relative to its diagonal and the force scale: more is no round-off; the forces have no
// potential.
static const double cd_stiffness_asymmetry = 1e-6;
// [-] Round-off of positions relative to their size: some twenty times DBL_EPSILON.
static const double cd_position_roundoff = 4e-15;
// [-] Round-off of the stiffness relative to the scale of the applied forces, whose terms cancel.
static const double cd_cancellation_roundoff = 1e-12;

// ---- trim

// [-] Residual relative to the force scale at which the iteration ends: round-off of the forces.
static const double cd_trim_balance_tolerance = 1e-11;
// [-] Effect of a relative change of a value, relative to the force scale: values with a smaller effect are not changed.
static const double cd_trim_sensitivity_tolerance = 1e-9;
// [-] Value relative to the change that alters the forces by the force scale: a smaller value is no scale of changes.
static const double cd_trim_small_value = 1e-3;
// [-] Change of the values relative to their scales: converged, if the residual does not determine all values.
static const double cd_trim_change_tolerance = 1e-6;
// [-] The same: no progress is possible by smaller changes, which are round-off.
static const double cd_trim_min_change = 1e-13;
// [-] Pivot relative to the largest in the choice among solutions: smaller ones are round-off of orthonormal columns.
static const double cd_trim_null_space_tolerance = 1e-12;
// [-] Residual relative to the force scale: a larger one is reported.
static const double cd_trim_residual_tolerance = 1e-8;
// [-] Residual relative to the force scale, or to the initial residual: a larger one is an error.
static const double cd_trim_max_residual = 0.5, cd_trim_min_reduction = 0.99;

// ---- linear models and modes

// [-] Pivot of the mass matrix of the motions relative to its diagonal: a smaller one is a motion without inertia.
static const double cd_motion_inertia_tolerance = 1e-13;
// [-] Norm of a row of joint velocities after orthogonalization, relative to its norm: coordinates that are well
// independent are chosen first, then weakly independent ones.
static const double cd_independent_tolerance = 0.1, cd_weakly_independent_tolerance = 1e-6;
// [-] Norm of a row relative to the largest: a joint with a smaller one is at a standstill in all motions.
static const double cd_standstill_row_tolerance = 1e-12;
// [-] Residual acceleration relative to the accelerations by the applied forces: a computed equilibrium, whose residual
// is an error rather than an acceleration.
static const double cd_equilibrium_acceleration_tolerance = 1e-6;
// [-] Real part of an eigenvalue relative to the largest eigenvalue: round-off of the matrix.
static const double cd_growth_tolerance = 1e-13;
// [-] Real part of an eigenvalue relative to its magnitude: a larger positive one is growth; the same for decay, which is
// reported as a time constant without consequences and may be smaller.
static const double cd_relative_growth_tolerance = 1e-9, cd_relative_damping_tolerance = 1e-12;

// ---- descriptions

// [-] Factor by which a later candidate must exceed the best one before it: round-off does not decide between equal ones.
static const double cd_tie_factor = 1 + 1e-6;
// [-] Relative difference of energies: smaller ones are equal, and the order of the description decides.
static const double cd_tie_tolerance = 1e-6;
// [-] Squared norm of a row after orthogonalization relative to the first: a smaller one does not distinguish motions.
static const double cd_distinguishing_row_sq = 1e-12;
// [-] Factor for squared norms of rows, as cd_tie_factor; larger, because rows are orthogonalized repeatedly.
static const double cd_distinguishing_tie_factor = 1.001;

// ---- suspensions

// [-] Stiffness of a motion relative to the forces: a smaller one is none for the quasi-static equilibrium (round-off of
// differences); for the check of the design a motion without a spring, whose stiffness is due to forces only.
static const double cd_stiffness_tolerance = 1e-7, cd_spring_stiffness_tolerance = 0.1;
// [rad, lengths] Last correction of the quasi-static equilibrium, whose stiffness is a difference quotient.
static const double cd_quasi_static_step_tolerance = 1e-10;
// [-] Part of the row of a driver that the mechanism cannot follow: a larger one is an error of the description.
static const double cd_follow_tolerance = 1e-6;
// [rad, lengths] Velocity of a motion of unit size at a wheel carrier or joint: a smaller one is none.
static const double cd_carrier_motion_tolerance = 1e-6;
// [-] Step of a sweep relative to its range: the sweep ends before a smaller one.
static const double cd_sweep_min_step = 1e-7;
// [rad, lengths] Corrections of a sweep: in addition to 0.3 of the prediction, because short predictions are as accurate
// as the solution; and of a position that was solved before.
static const double cd_sweep_correction = 1e-6, cd_sweep_return_correction = 1e-3;
// [rad] Angle between the spin axis and the vehicle's y in the design: a larger one is not a wheel that rolls forward.
static const double cd_max_spin_axis_angle = 1;
// [-] Squared distance of the ends of a kingpin relative to the squared radius: smaller ones are the same point.
static const double cd_kingpin_distance_sq = 1e-12;
// [m/m] Compression of a spring per travel of its wheel: a smaller one does not determine the motion at constant length.
static const double cd_spring_rate_tolerance = 1e-9;
// [rad^2] Squared rotation of a wheel carrier per unit of steering: a smaller one has no axis.
static const double cd_steering_rotation_sq = 1e-18;
// [-] Cosine between the steering axis and the vertical: a horizontal axis has no inclination.
static const double cd_steering_axis_cosine = 1e-6;
// [-] Squared sine between the wheel axis and the vertical: lower bound of a divisor.
static const double cd_wheel_axis_sine_sq = 1e-30;
// [-] Sine of the angle between the lines through both contact points: smaller means that their intersection, the roll
// centre, is not determined.
static const double cd_roll_centre_sine = 1e-6;
