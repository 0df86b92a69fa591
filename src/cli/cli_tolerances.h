// SPDX-License-Identifier: BSD-3-Clause
// Tolerances of the tool: which results are reported as different, and which numbers are printed as zero. [-]: relative.
// Limits of times and sizes are defined where they are used.
#pragma once

// ---- comparisons that give a message

// [-] Accelerations of bodies by two exact formulations, relative to the largest or 1: a larger difference is an error.
static const double cd_agreement_tolerance = 1e-6;
// [-] Accelerations that the motors cannot produce, relative to the largest acceleration: an error.
static const double cd_unproduced_acceleration_tolerance = 1e-6;
// [-] Singular values of scaled constraint rows relative to the largest: a prescribed motion is singular.
static const double cd_singular_row_tolerance = 1e-6;
// [rad/s, m/s] Speed at an operating point, [rad/s^2, m/s^2] acceleration: not an equilibrium.
static const double cd_operating_point_speed = 1e-9, cd_operating_point_acceleration = 1e-6;
// [-] Costs of two solutions of a task: the same optimum; ten times the default tolerance of the solver.
static const double cd_same_cost_tolerance = 1e-7;
// [rad, m], [rad/s, m/s] End of a simulation with the controls of a solution: the transcription is too coarse.
static const double cd_coarse_position_error = 0.01, cd_coarse_velocity_error = 0.1;
// [-] Coordinates beyond a limit, relative to 1 m or rad plus their size: rounding of assembly.
static const double cd_limit_tolerance = 1e-9;
// [m, rad], [m/s, rad/s] Constraint violation of the start of a run: the start values are inconsistent.
static const double cd_start_violation_tolerance = 1e-6;
// [m, rad] Constraint violation of the described configuration: worth a note.
static const double cd_described_violation_tolerance = 1e-9;
// [-] Norm of a quaternion of a state file: smaller ones have no direction.
static const double cd_quaternion_norm_min = 1e-6;

// ---- printed numbers

// [-] Friction of a pair relative to the largest normal force: a smaller one is printed as 0.
static const double cd_printed_friction_min = 1e-9;
// [rad, m] Coordinates of an equilibrium, accurate to about 1e-9: printed as 0.
static const double cd_printed_coordinate_min = 1e-9;
// [-] Entries of a matrix relative to the largest of their row or 1, accurate to 1e-9: printed as 0.
static const double cd_printed_entry_min = 1e-9;
// [-] Values relative to the largest of a vector or of the same unit in a table; coordinates and velocities also relative
// to 1, accelerations to gravity: round-off of results, printed as 0.
static const double cd_printed_round_off = 1e-13;
// [-] Damping ratios, printed with four digits: half of the last one.
static const double cd_printed_damping_min = 5e-5;
// [-] Times of snapshots relative to their spacing: rounding of sample times.
static const double cd_snapshot_time_tolerance = 1e-6;
