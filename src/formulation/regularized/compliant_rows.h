// SPDX-License-Identifier: BSD-3-Clause
// Constraint rows made soft: with a compliance epsilon(i) of each row the equations
//
//   M a + J'mu = r,    J a - epsilon mu = gamma
//
// are those of a tree with the inertia M + J'J/epsilon, which fronts eliminate without ever asking whether rows depend
// on each other. Shared by the formulations that regularize.
#pragma once

#include "formulation/reduction/fronts.h"

typedef struct cd_compliant_rows {
    cd_reduction_workspace reduction;
    cd_rows rows; // all of them, soft, as they were when they were factored: rows of another state, divided by epsilon,
                  // would be forces
    cd_row_block*        block;           // (row blocks) of these, with
    spatial*             G;               // a copy of theirs
    double*              compliance;      // (nrow) epsilon; infinite: nothing in the tree feels the row
    int*                 row_of_velocity; // (nv) a row whose ways to ground pass a velocity, or CARDAN_NONE
    double               regularization;  // of the mobilities: what epsilon is
    articulated_inertia* mobility;        // (nlink) in world axes at the link's origin, linear blocks first

    real *   motion_residual, *row_residual; // (nv) left of r - M a - J'mu; (nrow) left of gamma - J a
    real *   da, *dmu;                       // (nv) and (nrow) of one iteration
    real*    multiplier_sum;                 // (nrow) of dmu
    real*    probe;                          // (2 nv + 2 nrow) a solve that nobody asked for
    spatial *F, *A;                          // (nlink) forces; accelerations so far, in world axes, [-1] ground
    double   motion_term, row_term;          // size of the terms of the equations
    double   rhs_size;                       // of r

    // what the last solve did
    int    iterations;
    double residual_rel, motion_residual_rel; // of the equations, relative to their terms; of those of motion alone
    int    worst_velocity;                    // velocity of the latter
    double convergence_rate, last_change;     // of `left` and of accelerations, in the last iteration
    double max_acceleration;                  // acceleration
} cd_compliant_rows;

cardan_status cd_compliant_analyse(const cardan_model* m, const cd_rows* rows, void* work, cardan_report* report);
void          cd_compliant_release(void* work);
void          cd_compliant_layout(const cardan_model* m, const cd_rows* rows, cd_arena* arena, void* work);
// The factor with epsilon(i) = `part` of the mobility that row i meets.
cardan_status cd_compliant_factor(const cardan_model* m, const cd_kinematics* k, const cd_rows* rows,
                                  cd_compliant_rows* w, double regularization, cd_solve_info* info);
// Pivots that rows make stiff, and how stiff the weakest is.
cd_pivot_conditioning cd_compliant_conditioning(const cardan_model* m, const cd_rows* rows, const void* work);
// dx with M dx + J'y = 0 and J dx = s, J and M those of the factor, whatever the state is now.
void cd_compliant_solve_correction(const cardan_model* m, const cd_rows* rows, void* work, const real* s, real* dx);
// An inverse iteration on the rows (inverse_iteration.h).
void cd_compliant_smallest_singular_vector(const cardan_model* m, const cd_rows* rows, void* work, cd_row_groups groups,
                                           real* z, real* x, double* inv_sigma_sq);
// a and mu by `most` iterations at most, from mu = 0.
void cd_compliant_solve(const cardan_model* m, const cd_rows* rows, cd_compliant_rows* w, int max_iterations,
                        const real* r, const real* gamma, real* a, real* mu);

enum { CD_COMPLIANT_MAX_ITERATIONS = 60 }; // most that are worth it
// Whether the last solve ended before its accelerations, beside those of size `free` that cancel, were at hand.
bool cd_compliant_is_slow(const cd_compliant_rows* w, double free_acceleration);
// Whether the last solve left forces that no motion answers.
bool cd_compliant_has_unresisted_force(const cd_compliant_rows* w);
// The velocity of a motion that nothing determines, by the factor at hand, or CARDAN_NONE.
int cd_compliant_find_undetermined(const cardan_model* m, const cd_rows* rows, cd_compliant_rows* w);
