// SPDX-License-Identifier: BSD-3-Clause
// Linearization about a state. The admissible states at the current time are parametrized by independent coordinates,
//
//   q = project(q0 (+) Np xi),   v = project(v0 + Nv eta),   z = z0 + z      Np'M Np = 1,  Nv'M Nv = 1
//
// Np: tangent space of the holonomic rows, Nv: of all rows; they differ if there are nonholonomic rows (rolling).
// Results are expressed in independent joint coordinates y, their velocities w and the user states, x = (y, w, z),
// chosen in the order of the joints, so that they do not depend on the coordinates of the model. If the mechanism
// moves, x is the difference to its motion:
//
//   y' = d(joint velocities),   w' = d(joint accelerations),   z' = d(zdot),      A = dx'/dx
//
// Rotations of spherical and free joints and their angular velocities are resolved in axes fixed in the first body, not
// in the second, so that a rolling wheel has constant coefficients: w = dw + y x w0, y' = dw, w' = da + y x a0.
#pragma once

#include "analysis/tangent_space.h"
#include "dynamics/derivatives/state_jacobian.h"

typedef struct cd_linearization {
    cardan_data*     d;
    cd_tangent_space tangent;
    cd_arena         arena, matrix_arena;
    int              np, nw, nz, n;            // position coordinates, velocity coordinates, user states, sum
    int              dof_at_state, dof_nearby; // degrees of freedom; fewer nearby if the state is singular
    double *         q0, *v0, *z0, *a0;
    double*          M;                               // (nv x nv)
    double *         Np, *Nv;                         // (nv x np), (nv x nw) column major
    int *            position_entry, *velocity_entry; // (np), (nw) chosen indices in arrays (nv_joint)
    double *         T, *inverse;                     // (n x n) column major: x = T (xi, eta, z) to first order; T^-1
    double*          A;                               // (n x n) column major
    double *         q, *v, *a, *z, *x;               // scratch
    double*          joint_velocities;                // (nv_joint x nv) joint velocities of the motions Np
    double *         joint_v, *joint_a;               // (nv_joint) at the state
    double *         X, *Y, *work;                    // (n x n) scratch
    int *            entry, *pivot;

    cd_state_jacobian state_jacobian;
    double *          by_q, *by_v, *by_s, *column; // columns of the state Jacobian; one column
    double *          dq, *dv, *da, *dz, *lambda;  // derivatives along one direction
} cd_linearization;

// Linearize about the state of the data and compute A; the state of the data is restored.
cardan_status cd_linearization_create(cardan_data* d, cd_linearization* l, cardan_report* report);
void          cd_linearization_release(cd_linearization* l);
// Compute A at the state and the derivatives dh/dx of the outputs h of the model into H (noutput x n, column
// major; may be NULL). Returns false if the state is singular or an evaluation fails. All derivatives of
// accelerations are computed here.
bool cd_linearization_derivatives(cd_linearization* l, double* H);
// Compute column j of X, Y and H, the derivatives by component j of (xi, eta, z): exactly from the state Jacobian
// (linearization_derivatives.c); by differences if gear losses depend on load (linearization_differences.c).
bool cd_linearization_column(cd_linearization* l, int j, double* H);
bool cd_linearization_column_difference(cd_linearization* l, int j, double* H);

// Set the data to (xi, eta, z) (n; NULL: the state itself) and project. Returns false if the projection fails.
// (linearization_state.c)
bool cd_linearization_set_state(cd_linearization* l, const double* x);
// Compute v (nv) = Np xi.
void cd_linearization_motion(const cd_linearization* l, const double* xi, double* v);

// Choose joint coordinates that parametrize all motions, and compute T and its inverse. Returns false if there are too
// few. (linearization_coordinates.c)
bool cd_linearization_choose_coordinates(cd_linearization* l);
// Compute B = X^-1, column major; X is overwritten. Returns false if X is singular.
bool cd_linearization_invert(cd_linearization* l, double* X, double* B);
