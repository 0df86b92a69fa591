// SPDX-License-Identifier: BSD-3-Clause
// Tolerances of the formulations: unit, the quantity that is compared with it, and the reason for the value. Names of
// squared quantities end in _sq. Violations are those of cd_solve_policy.violation, scaled. The tolerance of motions
// without inertia, cd_massless_pivot, and those of row pivoting are in math_tolerances.h. Limits of iterations are in
// the files of the iterations.
#pragma once

#include "math/math_tolerances.h"

// ---- pivots and rank

// [-] Pivot of a row relative to what was subtracted from its diagonal entry, the square of a singular value of
// J M^-1/2: smaller pivots are null, and the row is redundant. Round-off of entries that cancel is 1e-13 to 1e-11 in
// mechanisms of some hundred bodies; independent rows of mechanisms of ordinary mass ratios are above 1e-8.
static const double cd_null_row_pivot_sq = 1e-10;
// [-] Norm of a row relative to the largest row of its constraint: smaller rows are scaled by this bound instead of
// their norm, since a row that vanishes at the configuration would otherwise count by its round-off.
static const double cd_small_row_ratio = 1e-3;
// [-] Pivot of J, or coefficients of a row, relative to the size of the row, and the same squared: smaller rows are
// redundant if the constraints are satisfied. Below the root of cd_null_row_pivot_sq, since round-off of J is not that
// of the squares in J M^-1 J'.
static const double cd_null_row_size = 1e-9, cd_null_row_size_sq = 1e-18;
// [-] Factor on the tolerance of null pivots with CD_RANK_BY_GEOMETRY: very different masses make the pivots of
// independent rows small.
static const double cd_sharp_rank_factor = 1e-3;
// [-] Violation: beyond it nothing is known about dependent rows, and the violation is ignored.
static const double cd_dependent_row_violation_max = 1e-3;
// [-] Pivot of a dependent row relative to the square of the violation or of the redundancy error: ten times these in
// what remains of the row after elimination.
static const double cd_dependent_row_factor_sq = 100;
// [-] Largest tolerance of null pivots due to the violation: independent rows are above it.
static const double cd_dependent_row_pivot_max_sq = 1e-6;
// [-] Norm or residual of a dependent row relative to the violation or to the redundancy error. Larger than by pivots,
// since rows are tested one by one, with all their coefficients.
static const double cd_dependent_row_factor = 100;
// [-] Entries of a matrix: with more it is refused before memory is exhausted; an int can count this number.
static const double cd_max_matrix_entries = 2e9;

// ---- refinement

// [-] Pivot of a row, as cd_null_row_pivot_sq, or of a velocity relative to its inertia scale: with smaller ones a
// solution loses so many digits that refinement is useful. 1e-4 leaves 12 digits of 16.
static const double cd_refine_below_pivot = 1e-4;
// [-] The same for pivots of N = J M^-1 J' where it is assembled for all cuts before its factorization: larger, because
// the entries of N are sums over whole paths.
static const double cd_refine_below_path_pivot_sq = 1e-3;
// [-] Round-off of an inertia relative to its scale: a larger one counts as cancelled, and solutions are refined.
static const double cd_cancelled_inertia_ratio = 1e-9;
// [-] Correction relative to the accelerations: refinement ends below it, where further ones are round-off.
static const double cd_refined_correction = 1e-12;
// [-] Correction relative to the previous one: with a larger one refinement does not converge and ends.
static const double cd_refinement_gain = 0.1;
// [-] Residual relative to the previous one: with a larger one the rest is round-off, or rows that no force can
// satisfy.
static const double cd_useful_residual_reduction = 0.5;

// ---- safeguards

// [-] |J a - gamma| relative to its largest term: rows with a larger residual contradict others. Ill-conditioned
// solutions keep more digits.
static const double cd_inconsistent_row_residual = 1e-7;
// [-] The same: up to it a row is satisfied to all digits that sums along a mechanism keep.
static const double cd_satisfied_row_residual = 1e-12;
// [-] |J a - gamma| relative to the accelerations without constraint forces: a smaller one is round-off of these.
static const double cd_free_acceleration_roundoff = 1e-12;
// [-] |J a - gamma| relative to the largest diagonal entry of N times its multiplier: a smaller one is round-off.
static const double cd_own_force_roundoff = 1e-14;

// [-] |R(i, i)| of the QR factorization of unit rows: a row with a smaller one is redundant; above round-off of sums
// of some hundred terms.
static const double cd_geometric_rank_tolerance = 1e-12;
// [-] Largest value of this tolerance with a violation: independent rows are above it.
static const double cd_geometric_rank_tolerance_max = 1e-2;
// [-] This tolerance as caused by the violation: up to it redundant rows may be omitted, since they contradict each
// other by far less than cd_inconsistent_row_residual. Violations up to 1e-12: less than cd_equivalent_rows_violation,
// up to which redundant rows are exchanged, but not omitted by force.
static const double cd_decisive_rank_tolerance = 1e-10;

// [-] Proximal inertia relative to the inertia scale of a velocity: an iteration gains seven digits, and nine remain in
// the pivots.
static const double cd_proximal_inertia_ratio = 1e-7;
// [-] Change of an iteration relative to the largest acceleration: a smaller one is round-off.
static const double cd_proximal_converged_change = 1e-14;
// [-] Energy of the proximal inertia relative to the initial one: the motion is determined below it.
static const double cd_determined_energy_ratio = 1e-12;
// [-] The same relative to the iteration before: the motion is undetermined above it.
static const double cd_undetermined_energy_ratio = 0.8;

// ---- trees

// [multiplications] Factorization: with fewer ones, one thread is faster than several. Measured by bench_threads on
// binary trees, speed of two threads relative to one: 0.83 at 3.8e4 (1,023 links), 1.22 at 9.4e4 (2,047 links), 1.4 at
// 5.5e5, 1.67 at 7e6. cd_block_min_work_for_threads is that of another factorization.
static const double cd_tree_min_work_for_threads = 8e4;

// ---- coordinate reduction

// [-] Coupling of a row and a velocity relative to their sizes: a row with a larger one is solved for the velocity;
// with a smaller one the velocity is delayed, since its multiples of the row would be large.
static const double cd_front_pivot_threshold = 0.05;
// [-] The same: a smaller coupling is round-off.
static const double cd_front_coupling_roundoff = 1e-11;
// [-] Size of a null row relative to the square root of the tolerance of null pivots: with its factor of
// cd_dependent_row_factor_sq it is cd_dependent_row_factor times the violation.
static const double cd_front_violation_factor = 10;
// [-] Growth, which is cd_massless_pivot times the ratio of inertia to pivot: the alternate order is tried if a pivot
// is below a thousandth of its inertia scale.
static const double cd_reorder_growth = 1e-10;
// [-] Growth relative to that of the last test: a larger one tests again; an order better by this factor is kept.
static const double cd_tested_growth_factor = 10;
// [-] First correction relative to the accelerations: above it digits were lost, and a second correction shows whether
// refinement is useful. Larger than cd_refined_correction: the decision holds for many solves, each of which would be
// refined.
static const double cd_lost_digits_correction = 1e-10;
// [-] Correction relative to the accelerations: refinement continues above it.
static const double cd_poor_correction = 1e-6;
// [-] Response of all rows relative to that of the eliminated rows, squared: all rows respond three times as much, and
// the redundant rows are determined again.
static const double cd_omitted_response_ratio_sq = 10;
// [-] Size of the factor of the alternate order relative to the first order; its square for operations: larger ones
// are not used.
static const double cd_alternate_size_ratio_max = 4;
// [multiplications] Evaluation: more take minutes and are refused.
static const double cd_reduction_operations_max = 1e11;
// [multiplications per velocity] Fronts: above it most have three bodies or more, and the other order is tried.
static const double cd_wide_front_operations = 400;
// [multiplications per velocity] The same: above it fronts have more than a dozen bodies, and the order is abandoned.
static const double cd_front_operations_max = 8000;

// ---- embedding

// [-] Row relative to its terms: a smaller row is dominated by their round-off of 1e-15.
static const double cd_cancelled_row_ratio = 1e-6;
// [-] Pivot relative to the largest: larger ones may be chosen, for fewer couplings. Not that of
// cd_front_pivot_threshold, which is relative to the sizes of row and velocity.
static const double cd_embedding_pivot_threshold = 0.1;
// [-] Inertia of a coordinate relative to the largest in its cluster: smaller ones are scaled by this bound.
static const double cd_min_inertia_ratio = 1e-6;
// [-] Scaled entry of N, the motion of a dependent coordinate relative to that of the one it follows: larger ones
// repeat the partition.
static const double cd_influence_max = 1e3;
// [-] Largest entry of N relative to that at the partition: the partition is kept up to it, as at the partition large
// entries may be unavoidable.
static const double cd_influence_growth_max = 10;
// [-] Residual of a redundant row relative to the tolerance of null pivots: the row is no longer redundant above it.
static const double cd_redundant_residual_factor = 10;
// [-] Smallest pivot relative to that at the partition: a smaller one repeats the partition.
static const double cd_repartition_pivot_ratio = 0.01;
// [-] The same if there are redundant rows to choose from and the constraints are satisfied, so that these rows are
// equivalent (row_pivoting.h).
static const double cd_repartition_pivot_ratio_redundant = 0.3;
// [-] Violation: up to it constraints count as satisfied for the choice of this ratio. The same bound as
// cd_pivot_reorder_tolerance, which is cd_dependent_row_factor_sq times its square.
static const double cd_equivalent_rows_violation = 1e-10;

// ---- dense

// [-] Pivot of M scaled to a unit diagonal, and reciprocal condition of the scaled system: columns with smaller ones
// are dependent. Larger than cd_massless_pivot: a smaller pivot of M alone is no failure, the rank of the whole system
// decides, with the same tolerance.
static const double cd_dense_rank_tolerance = 1e-12;
// [-] Residual relative to the right side, in scaled equations: refinement ends at it.
static const double cd_dense_residual_tolerance = 1e-14;

// ---- regularized

// [-] Epsilon relative to the mobility of rows in the first solve: square root of the machine precision, at which the
// iteration removes compliance and round-off of the factor at the same rate.
static const double cd_regularization_balanced = 1e-8;
// [-] The same in repeated solves, for nearly dependent rows.
static const double cd_regularization_small = 1e-11, cd_regularization_min = 1e-13;
// [-] The same after a failed factorization: the first, the factor to the next one, and the largest.
static const double cd_regularization_retry = 1e-6, cd_regularization_retry_factor = 100, cd_regularization_max = 1e-2;
// [-] The same relative to the square of the violation: well above the pivots of dependent rows, which contradict each
// other by the violation.
static const double cd_regularization_violation_factor_sq = 1e8;
// [-] The same of the penalty method, which does not iterate: a smaller one would lose as many digits to round-off as
// it gains.
static const double cd_penalty_regularization = 1e-7;

// [-] Mobility of a row relative to its upper bound: rows with less mobility are not made stiffer.
static const double cd_min_mobility_ratio = 1e-2;
// [-] The same, a squared coupling: a smaller one is round-off, and the row is omitted. Not that of
// cd_front_coupling_roundoff, which is the coupling to a single velocity after eliminations.
static const double cd_row_mobility_roundoff_sq = 1e-20;
// [-] Residual relative to its terms, of corrections relative to the right side: the iteration ends at round-off.
static const double cd_compliant_residual_roundoff = 2e-15;
// [-] Pivot of a velocity times epsilon, relative to its inertia scale: about 1 where rows act, smaller along free
// motions.
static const double cd_stiff_pivot_ratio = 1e-6;
// [-] Residual relative to its terms: the iteration has converged below it, even if slowly.
static const double cd_compliant_converged_residual = 1e-11;
// [-] Residual relative to that of the iteration before: above it rows are inconsistent, and nothing converges.
static const double cd_stalled_convergence_rate = 0.999;
// [-] Estimated remaining change of accelerations relative to these: a larger one repeats the solve.
static const double cd_remaining_change_tolerance = 1e-9;
// [-] Residual of the equations of motion relative to the applied forces: a larger one is an unresisted force.
static const double cd_unresisted_force_ratio = 1e-5;
// [-] The same relative to the largest force term: a smaller one is round-off, since multipliers are unbounded at
// singular configurations.
static const double cd_force_term_roundoff = 1e-12;
// [-] Pivot relative to the inertia scale of its velocity: a smaller one may be a motion without inertia. Far above
// cd_massless_pivot, since stiff rows leave round-off in the pivots.
static const double cd_suspect_inertia_pivot = 1e-5;

// ---- maximal coordinates

// [-] Residual relative to the terms of the equations, per 6 rows on a body: no refinement is necessary below it.
// Larger than that of the reference formulation `dense`, since a correction costs as much as the solve.
static const double cd_kkt_residual_tolerance = 1e-13;
// [-] Residual relative to this tolerance: round-off of a refined solution, where rates over short steps are part of
// the right sides.
static const double cd_refined_residual_factor = 100;
// [-] Residual of redundant rows relative to the terms: allowed, since violations contradict the other rows.
static const double cd_redundant_row_residual = 1e-3;
// [-] Smallest pivot of the rows, as cd_null_row_pivot_sq: below it the alternate order replaces the first one.
static const double cd_alternate_order_pivot_sq = 1e-6;
// [-] Diagonal shift of rows relative to what elimination subtracts: larger than round-off (kkt_quasidefinite.c).
static const double cd_diagonal_shift = 1e-14;
// [-] Smallest principal moment relative to the trace of an inertia: the inertia of a body with a smaller one is
// singular.
static const double cd_singular_moment_ratio = 1e-9;
// [-] Entry relative to the largest of its row: a smaller one is round-off and counts as zero.
static const double cd_zero_entry_ratio = 1e-13;

// ---- ordering of maximal coordinates

// [-] Pairs of blocks per block: orders with more are not counted completely if another order has been counted.
static const double cd_order_pairs_per_block_max = 400;
// [-] Visited entries per block: with more the ordering is given up.
static const double cd_order_visits_per_block_max = 200;
// [-] Operations relative to another order: up to it a shorter critical path is preferred, where several threads are
// useful (cd_block_min_work_for_threads).
static const double cd_parallel_work_factor = 1.1;
