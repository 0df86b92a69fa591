// SPDX-License-Identifier: BSD-3-Clause
// The state near a state. Where the mechanism can go at the time set is told by few numbers,
//
//   q = close(q0 (+) Np xi),   v = close(v0 + Nv eta),   z = z0 + z      Np'M Np = 1,  Nv'M Nv = 1
//
// Np: motions that rows of positions allow, Nv: that all rows allow; they differ where something rolls. What it is told
// in are independent joint coordinates y, their velocities w and the user's states, x = (y, w, z), chosen in the order
// of the joints, so that results do not depend on the coordinates of the model. x is the difference to the motion of
// the mechanism, if it moves:
//
//   y' = d(joint velocities),   w' = d(joint accelerations),   z' = d(zdot),      A = dx'/dx
//
// Rotations of ball and free joints and their angular velocities are taken in axes that stand still in the first body,
// not in those of the second, so that a wheel that rolls on has constant coefficients: w = dw + y x w0, y' = dw, w' =
// da + y x a0.
#pragma once

#include "analysis/tangent_space.h"
#include "dynamics/derivatives/state_jacobian.h"

typedef struct cd_linearization {
    cardan_data*     d;
    cd_tangent_space tangent;
    cd_arena         arena, matrix_arena;
    int              np, nw, nz, n;            // positions, velocities, user states, all
    int              dof_at_state, dof_nearby; // motions at first order; fewer beside a singular pose
    double *         q0, *v0, *z0, *a0;
    double*          M;                               // (nv x nv)
    double *         Np, *Nv;                         // (nv x np), (nv x nw) column major
    int *            position_entry, *velocity_entry; // (np), (nw) joint coordinates chosen, places in arrays (nv_all)
    double *         T, *inverse;       // (n x n) column major: x = T (xi, eta, z) at first order, and back
    double*          A;                 // (n x n) column major
    double *         q, *v, *a, *z, *x; // scratch
    double*          joint_velocities;  // (nv_all x nv) joint velocities of the motions Np
    double *         joint_v, *joint_a; // (nv_all) at the state
    double *         X, *Y, *work;      // (n x n) scratch
    int *            entry, *pivot;

    cd_state_jacobian state_jacobian;
    double *          by_q, *by_v, *by_s, *column; // columns of the slopes; one of them
    double *          dq, *dv, *da, *dz, *lambda;  // along a motion
} cd_linearization;

// About the state of the data, which stays; A is filled.
cardan_status cd_linearization_create(cardan_data* d, cd_linearization* l, cardan_report* report);
void          cd_linearization_release(cd_linearization* l);
// The data at (xi, eta, z) (n; NULL: the state itself); false where that cannot be closed.
bool cd_linearization_set_state(cd_linearization* l, const double* x);
// A at the state, and of the outputs h of the model dh/dx into H (noutput x n, column major; may be NULL). All
// derivatives of accelerations come from here.
bool cd_linearization_derivatives(cd_linearization* l, double* H);
// Along (xi, eta, z) number j: X, Y in column j, and of h. By slopes where they are known exactly (derivatives.c); by
// differences where losses of gears depend on their load (linearization_differences.c).
bool cd_linearization_column(cd_linearization* l, int j, double* H);
bool cd_linearization_column_difference(cd_linearization* l, int j, double* H);
// v (nv) = Np xi.
void cd_linearization_motion(const cd_linearization* l, const double* xi, double* v);

// Joint coordinates that tell all motions, and T. False where there are not enough. (linearization_coordinates.c)
bool cd_linearization_choose_coordinates(cd_linearization* l);
// B = X^-1, column major, X is overwritten. False where X is singular.
bool cd_linearization_invert(cd_linearization* l, double* X, double* B);
