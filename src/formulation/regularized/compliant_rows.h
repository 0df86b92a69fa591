// SPDX-License-Identifier: BSD-3-Clause
// Compliant constraint rows: with a compliance epsilon(i) of each row (C = diag(epsilon)) and iterated multipliers mu,
// which converge to lambda, the equations
//
//   M a + J'mu = r,    J a - epsilon mu = gamma
//
// are those of a tree with the inertia M + J'J/epsilon, which the fronts eliminate without any rank decision. Shared by
// the formulations that regularize.
#pragma once

#include "formulation/coordinate_reduction/fronts.h"

typedef struct cd_compliant_rows {
    cd_reduction_workspace reduction;
    // Compliant copies of all rows at the last factorization: rows of another state, divided by epsilon, would be
    // forces.
    cd_rows              rows;
    cd_row_block*        block;           // (row blocks) of these rows, with
    spatial*             G;               // a copy of G
    double*              compliance;      // (nrow) epsilon; infinite: no velocity of the tree acts on the row
    int*                 row_of_velocity; // (nv) a row whose paths to ground contain a velocity, or CARDAN_NONE
    double               regularization;  // epsilon relative to the mobility of the row
    articulated_inertia* mobility;        // (nlink) in world axes at the link's origin, linear blocks first

    real *   motion_residual, *row_residual; // (nv) r - M a - J'mu; (nrow) gamma - J a
    real *   da, *dmu;                       // (nv) and (nrow) of one iteration
    real*    multiplier_sum;                 // (nrow) of dmu
    real*    probe;                          // (2 nv + 2 nrow) arrays of the test solve for undetermined motions
    spatial *F, *A;                          // (nlink) forces; accumulated accelerations in world axes, [-1] ground
    double   motion_term, row_term;          // size of the terms of the equations
    double   rhs_size;                       // size of r

    // results of the last solve
    int    iterations;
    double residual_rel, motion_residual_rel; // largest relative residual; of the equations of motion alone
    int    worst_velocity;                    // velocity of the latter
    double convergence_rate, last_change;     // ratio of residuals, and change of accelerations, in the last iteration
    double max_acceleration;
} cd_compliant_rows;

cardan_status cd_compliant_analyse(const cardan_model* m, const cd_rows* rows, void* work, cardan_report* report);
void          cd_compliant_release(void* work);
void          cd_compliant_layout(const cardan_model* m, const cd_rows* rows, cd_arena* arena, void* work);
// Factor with epsilon(i) = `regularization` times the mobility of row i.
cardan_status cd_compliant_factor(const cd_problem* p, cd_compliant_rows* w, double regularization,
                                  cd_solve_info* info);
// Return the conditioning: pivots that the rows make stiff, and the weakest of these.
cd_pivot_conditioning cd_compliant_conditioning(const cd_problem* p, const cd_compliant_rows* w);
// Solve M dx + J'y = 0, J dx = s with J and M of the factor, independent of the current state.
void cd_compliant_solve_correction(const cd_problem* p, cd_compliant_rows* w, const real* s, real* dx);
// One inverse iteration on the rows (inverse_iteration.h).
void cd_compliant_smallest_singular_vector(const cd_problem* p, void* work, cd_row_groups groups, real* z, real* x,
                                           double* inv_sigma_sq);
// Solve for a and mu by at most `max_iterations` iterations, from mu = 0.
void cd_compliant_solve(const cd_problem* p, cd_compliant_rows* w, int max_iterations, const real* r, const real* gamma,
                        real* a, real* mu);

enum { CD_COMPLIANT_MAX_ITERATIONS = 60 }; // further iterations are not useful
// Return whether the last solve ended before its accelerations had converged, relative to their size and to the size
// `free_acceleration` of terms that cancel.
bool cd_compliant_is_slow(const cd_compliant_rows* w, double free_acceleration);
// Return whether the last solve left a force that no motion resists.
bool cd_compliant_has_unresisted_force(const cd_compliant_rows* w);
// Return the velocity of an undetermined motion, with the current factor, or CARDAN_NONE.
int cd_compliant_find_undetermined(const cd_problem* p, cd_compliant_rows* w);
