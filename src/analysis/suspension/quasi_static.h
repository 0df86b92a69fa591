// SPDX-License-Identifier: BSD-3-Clause
// Quasi-static positions: the configuration at zero velocity that satisfies the constraints, drivers included, and in
// which the remaining free motions are in equilibrium; and its derivatives by the drivers.
//
//   c(q, s) = 0,   N'f(q) = 0              J N = 0, f = -Q(q) at zero velocity: gravity, springs, bushings
//
// If the constraints leave no motion free, this is kinematics. With bushings, the position minimizes the potential
// energy. Motions that neither constraints nor forces determine (the spin of a wheel) change by the minimum norm and
// are counted in nneutral.
//
// With L(q) = f + J'lambda, lambda such that L = 0, and H = dL/dq (which includes the curvature of the constraints),
// the motion t of the equilibrium with a driver is J t = e, N'H t = 0; the force of the driver is f't, and its
// stiffness along another motion t2 is t'H t2. H is exact (dynamics/derivatives/state_jacobian.h).
#pragma once

#include "dynamics/derivatives/state_jacobian.h"

typedef struct cd_quasi_static {
    cardan_data* d;
    cd_arena     arena;
    const bool*  is_ignored; // (nv) applied forces along these velocities are ignored
    int          nv, nrow;
    double*      q; // (nq)

    // at q, in units: dq * unit is in radians or units of length_scale
    double* unit;           // (nv)
    double *c, *f, *lambda; // (nrow), (nv), (nrow)
    int     rank, nfree, nneutral;
    double *J, *U, *sigma, *V; // (nv x nrow) overwritten, (nv x nv), (min), (min x nrow): J' = U sigma V'
    double *H, *stiffness_U, *stiffness_value, *stiffness_Vt; // (nfree x nfree) N'H N and its
                                                              // singular value decomposition
    double *x, *y, *z, *trial, *work;                         // (nv) scratch
    double  force_scale;                                      // [N m] largest applied force
    double* row_scratch;                                      // (nrow) scratch

    cd_state_jacobian state_jacobian;
    bool              curvature_valid;    // `curvature` belongs to q
    double*           curvature;          // (nv x nv) row major, H in units
    double *          by_q, *by_v, *by_s; // columns of the state Jacobian
} cd_quasi_static;

// Create a solver. The caller owns is_ignored. Returns NULL if memory is exhausted.
cd_quasi_static* cd_quasi_static_create(cardan_data* data, const bool* is_ignored);
void             cd_quasi_static_destroy(cd_quasi_static* equilibrium);

// Solve for the position near q (nq) at the current driver values; the data are set to it and q is overwritten.
// *moved: distance covered, in radians or units of length_scale. Returns false if the iteration does not converge or
// *moved exceeds max_distance.
bool cd_quasi_static_solve(cd_quasi_static* equilibrium, double* q, double max_distance, double* moved);

// Compute the motion t (nv) with the driver in constraint row `row`, at the position solved. *unfollowed: part of the
// row that the motion cannot follow, 1: all of it.
void   cd_quasi_static_tangent(cd_quasi_static* equilibrium, int row, double* t, double* unfollowed);
double cd_quasi_static_force(const cd_quasi_static* equilibrium, const double* t);
double cd_quasi_static_stiffness(cd_quasi_static* equilibrium, const double* t1, const double* t2);
// Write free motion i (nv) of the `nfree` that the constraints leave. Its stiffness is stiffness_value[i] [N m per
// radian or length_scale], largest first. The last `nneutral` have no stiffness.
void cd_quasi_static_free_motion(const cd_quasi_static* equilibrium, int i, double* motion);
