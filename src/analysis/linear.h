// SPDX-License-Identifier: BSD-3-Clause
// The state near a state: coordinates x = (xi, eta, z) of all states that satisfy the constraints at the time set,
//
//   q = close(q0 (+) Np xi),   v = close(v0 + Nv eta),   z = z0 + z      Np'M Np = 1,  Nv'M Nv = 1
//
// Np: motions that rows of positions allow, Nv: that all rows allow; they differ where something rolls. The rate in these coordinates,
//
//   xi' = Np'M (v + [xi, v]),   eta' = Nv'M a,   z' = zdot
//
// [xi, v] = xi x v / 2 for each quaternion: its rotation vector is no angular velocity. A = dx'/dx at x = 0.
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
    double *     q, *v, *a, *z, *x;  // scratch
} cd_linear;

// About the state of the data, which stays; A is filled.
cardan_status cd_linear_create(cardan_data* d, cd_linear* l, cardan_report* report);
void          cd_linear_release(cd_linear* l);
// The data at x (n; NULL: the state itself); false where that cannot be closed.
bool cd_linear_move(cd_linear* l, const double* x);
// A at the state: all derivatives of accelerations come from here.
cardan_status cd_linear_derivatives(cd_linear* l, cardan_report* report);
// v (nv) = Np xi.
void cd_linear_motion(const cd_linear* l, const double* xi, double* v);
