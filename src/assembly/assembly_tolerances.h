// SPDX-License-Identifier: BSD-3-Clause
// Tolerances of assembly. "In units": residuals of rows divided by their units, displacements in rad and lengths of the
// mechanism (assembly_problem.h), so that they do not depend on its size. [-]: relative. Limits of steps, iterations and
// memory are defined where they are used.
#pragma once

// ---- violations

// [in units] Residual of the position rows: assembled; a projection removes the remainder. Round-off of the least
// squares is far below it, and a mechanism that cannot be assembled remains far above.
static const double cd_assembly_violation_tolerance = 1e-9;
// [in units; for velocities relative to the speed] Residual of rows and errors of start values: nothing to do.
static const double cd_satisfied_violation = 1e-12;
// [in units] Residual of the design configuration: a larger one is not round-off of the description.
static const double cd_design_violation_tolerance = 1e-6;
// [-] Difference of squared residuals relative to them: equal but for round-off; the first constraint is named.
static const double cd_equal_violation_tolerance = 1e-6;
// [-] Residual of the velocity rows relative to the speed: accepted. A larger remainder would make rank tests count the
// row as independent.
static const double cd_accepted_velocity_violation = 5e-10;
// [-] Speed, or residual of the velocity rows, relative to the given speed: standstill by round-off.
static const double cd_standstill_speed_ratio = 1e-14;
// [-] Rate of a driver relative to sqrt(|x x''|): a smaller one is round-off of the driver function.
static const double cd_driver_rate_roundoff = 1e-3;
// [m, -] Difference of a start value and the design pose of a free joint, positions and cosine: the same.
static const double cd_design_pose_tolerance = 1e-12;

// ---- least squares and Levenberg-Marquardt iteration

// [-] Pivot of the least-squares matrix relative to the largest: a smaller one is a dependent row.
static const double cd_least_squares_rank_tolerance = 1e-10;
// [-] The same with damping, where the matrix has full rank: only round-off is excluded.
static const double cd_damped_rank_tolerance = 1e-14;
// [-] Shift of the Gram matrix relative to its largest diagonal entry, times n + 10: round-off of its sums.
static const double cd_gram_roundoff = 1e-14;
// [-] Gradient relative to the first one at which conjugate gradients end: of the least squares; of the minimum change,
// whose iterations are few.
static const double cd_least_squares_gradient_tolerance = 1e-9, cd_minimum_change_gradient_tolerance = 1e-13;
// [in units] Residual at which the iteration ends: round-off.
static const double cd_assembly_residual_roundoff = 1e-16;
// [in units] Residual or change that further steps improve by little.
static const double cd_converged_residual = 1e-12;
// [-] Gradient relative to residual and norm of the matrix, and [in units] residual: a smaller gradient at a larger
// residual is a stationary point that is no solution.
static const double cd_stationary_gradient = 1e-8, cd_stationary_residual = 1e-6;
// [in units] Change towards the start: below it, the return to the start ends if the change is no longer halved.
static const double cd_small_change = 1e-4;
// [-] Velocities relative to the rates that they correct, in units: larger velocities come from dependent rows.
static const double cd_max_velocity_ratio = 1e10;

// ---- continuation and attribution

// [in units] Displacement of fixed values from the design configuration: from a larger one, continuation starts there.
static const double cd_far_from_design = 0.5;
// [in units] Correction after a step of the continuation: a larger one is another branch, or the step is too long.
static const double cd_max_continuation_correction = 0.4;

// ---- velocity branches

// [-] Singular value relative to the largest, or to 1: a smaller one is a dependent row. Larger than in rank tests,
// because the configuration of an assembly is singular to 1e-9 only.
static const double cd_branch_rank_tolerance = 1e-6;
// [-] Second-order residual g relative to its terms: a solution; converged; round-off, which is not refined.
static const double cd_branch_residual_tolerance = 1e-7, cd_branch_newton_tolerance = 1e-12,
                    cd_branch_residual_roundoff = 1e-15;
// [-] Change of velocities relative to the error of g that it removes: a larger change is another branch.
static const double cd_max_branch_refinement = 1e3;
// [-] Difference of velocities relative to the speed: a larger one is another branch; the same for a speed other than 0.
static const double cd_min_branch_difference = 1e-3;
// [-] Speed relative to the speed of gamma, sqrt(|gamma|): a smaller one is a standstill.
static const double cd_branch_standstill_ratio = 1e-3;
// [-] Difference of squared distances relative to them: two branches are equally near.
static const double cd_equal_distance_tolerance = 1e-9;
// [-] Shift of the Gram matrix of the branch equations relative to its trace, so that it can be factorized.
static const double cd_branch_gram_shift = 1e-12;

// ---- branches of curves

// [-] Distance relative to the extent of the curve: the point is on the curve.
static const double cd_on_curve_tolerance = 1e-9;
// [-] Difference of parameters relative to their range, and sine of the angle of the tangents: different branches.
static const double cd_min_curve_branch_difference = 1e-6;
// [-] Difference of normal components relative to the velocity: it fits two branches equally.
static const double cd_velocity_tie_tolerance = 1e-6;
