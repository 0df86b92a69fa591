// SPDX-License-Identifier: BSD-3-Clause
// Tolerances of tasks, transcription and nonlinear programs. [row]: unit of the row or condition, m, rad, m/s, ... or
// none. [-]: relative. Limits of steps and times are defined where they are used.
#pragma once

// ---- feasibility

// [row] Violation of a feasible point: a hundred times the default tolerance of the solver. It also decides whether the
// guess of the end satisfies the end conditions.
static const double cd_feasibility_tolerance = 1e-6;
// [row] Violation of the best iterate of a failed solution: above it no admissible trajectory was found.
static const double cd_infeasible_violation = 1e-3;
// [row] Violation of a stored solution: with a larger one it belongs to another task and is only a guess.
static const double cd_warm_start_violation = 0.01;
// [-] Scaled error of the optimality conditions: default of the option `tolerance` of the solver.
static const double cd_default_solver_tolerance = 1e-8;
// [m, rad, m/s, rad/s] Conditions at the ends beyond the bounds of the path: rounding of decimal numbers.
static const double cd_bound_tolerance = 1e-9;
// [-] Distance of a coordinate to a bound relative to the range, of at most 1 m or rad: the coordinate is at the bound;
// iterates of an interior-point method remain inside.
static const double cd_at_bound_tolerance = 1e-4;

// ---- rank

// [-] Norm of a row after orthogonalization against the others relative to its norm before: dependent. The rows are
// evaluated at an assembled state, where they are accurate to 1e-9.
static const double cd_dependence_tolerance = 1e-6;
// [-] Pivots relative to the largest: nearly redundant end conditions, which would give long steps of the guess.
static const double cd_condition_rank_tolerance = 1e-3;
// [-] Pivots relative to the largest: controls without effect on the motions of the loops, by round-off.
static const double cd_control_rank_tolerance = 1e-9;

// ---- comparisons

// [-] Results of compiled functions against those of tapes, relative to the largest result or 1: round-off.
static const double cd_compiled_difference_tolerance = 1e-9;
// [-] Times of recorded samples relative to the duration: digits of result files.
static const double cd_sample_time_tolerance = 1e-9;
