// SPDX-License-Identifier: BSD-3-Clause
// The state near a state: coordinates x = (xi, eta, z) of all states that satisfy the constraints at the time set,
//
//   q = close(q0 (+) Np xi),   v = close(v0 + Nv eta),   z = z0 + z      Np'M Np = 1,  Nv'M Nv = 1
//
// Np: motions that rows of positions allow, Nv: that all rows allow; they differ where something rolls. The mechanism may move: x is
// then the difference to its motion, and
//
//   xi' = Np'M dv,   eta' = Nv'M da,   z' = dzdot
//
// where rotations of quaternions and their angular velocities are taken in axes that stand still, not in those of the body, so that
// the motion of a wheel that rolls on has constant coefficients: eta = Nv'M (dv + B xi), B xi = xi x w0. A = dx'/dx at x = 0.
#pragma once

#include "analysis/tangent.h"

typedef struct cd_linear {
    cardan_data* d;
    cd_tangent   tangent;
    cd_arena     arena;
    int          np, nw, nz, n;      // positions, velocities, user states, all
    double *     q0, *v0, *z0, *a0;
    double *     Np, *Nv;            // (nv x np), (nv x nw) column major
    double *     Wp, *Wv;            // M Np, M Nv
    double *     A;                  // (n x n) column major
    double *     M;                  // (nv x nv)
    double *     turning, *swinging; // (nw x np) column major: Nv'M B Np with angular velocities, and with accelerations
    double *     follow;             // (nw x np) column major: how eta changes where velocities follow a change of xi
    double *     q, *v, *a, *z, *x;  // scratch
} cd_linear;

// About the state of the data, which stays; A is filled.
cardan_status cd_linear_create(cardan_data* d, cd_linear* l, cardan_report* report);
void          cd_linear_release(cd_linear* l);
// The data at x (n; NULL: the state itself); false where that cannot be closed.
bool cd_linear_move(cd_linear* l, const double* x);
// A at the state: all derivatives of accelerations come from here.
cardan_status cd_linear_derivatives(cd_linear* l, cardan_report* report);
// The step of differences along x[j].
double cd_linear_step(const cd_linear* l, int j);
// v (nv) = Np xi.
void cd_linear_motion(const cd_linear* l, const double* xi, double* v);
