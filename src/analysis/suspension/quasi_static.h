// SPDX-License-Identifier: BSD-3-Clause
// Quasi-static positions: the state at rest that satisfies the constraints, drivers among them, and in which what they
// leave free is in equilibrium; and how it follows the drivers.
//
//   c(q, s) = 0,   N'f(q) = 0              J N = 0, f = -Q(q) at rest: gravity, springs, bushings
//
// Where the constraints leave nothing free this is kinematics. Where bushings hold, the position is one of least
// energy. What neither constraint nor force determines (a wheel's spin) is moved least, and told.
//
// With L(q) = f + J'lambda, lambda such that L = 0, and H = dL/dq (H holds the curvature of the constraints), the
// motion t of the equilibrium with a driver is J t = e, N'H t = 0; the driver's force is f't, and its stiffness along
// another motion t2 is t'H t2. H is exact (dynamics/derivatives/state_jacobian.h).
#pragma once

#include "dynamics/derivatives/state_jacobian.h"

typedef struct cd_quasi_static {
    cardan_data* d;
    cd_arena     arena;
    const bool*  is_ignored; // (nv) forces along these velocities do not count
    int          nv, nrow;
    double*      q; // (nq)

    // at q, in units: dq * unit is in radians or lengths
    double* unit;           // (nv)
    double *c, *f, *lambda; // (nrow), (nv), (nrow)
    int     rank, nfree, nneutral;
    double *J, *U, *sigma, *V; // (nv x nrow) overwritten, (nv x nv), (most), (most x nrow): J' = U sigma V
    double *H, *stiffness_U, *stiffness_value, *stiffness_Vt; // (nfree x nfree) N'H N and its singular values
    double *x, *y, *z, *trial, *work;                         // (nv) scratch
    double  force_scale;                                      // of the forces [N m]
    double* row_scratch;                                      // (nrow) scratch

    cd_state_jacobian state_jacobian;
    bool              curvature_valid;    // H of the position is known
    double*           curvature;          // (nv x nv) row major, H in units
    double *          by_q, *by_v, *by_s; // columns of the slopes
} cd_quasi_static;

// `idle` stays the caller's. NULL without memory.
cd_quasi_static* cd_quasi_static_create(cardan_data* data, const bool* is_ignored);
void             cd_quasi_static_destroy(cd_quasi_static* equilibrium);

// From q (nq) to the position near it at the laws that are set; the data are set to it, q is overwritten. *moved: how
// far it went, in radians or lengths. False where there is none near, or it is further than `most`.
bool cd_quasi_static_solve(cd_quasi_static* equilibrium, double* q, double max_distance, double* moved);

// Motion t (nv) with the driver in row `row` of the closure, at the position solved; *miss: what of the row it does not
// follow, 1: all of it.
void   cd_quasi_static_tangent(cd_quasi_static* equilibrium, int row, double* t, double* unfollowed);
double cd_quasi_static_force(const cd_quasi_static* equilibrium, const double* t);
double cd_quasi_static_stiffness(cd_quasi_static* equilibrium, const double* t1, const double* t2);
// Motion number i (nv) of the `nfree` that the constraints leave free; how stiffly it is held, in N m relative to
// radians or lengths, is values[i], largest first. The last `nneutral` are held by nothing.
void cd_quasi_static_free_motion(const cd_quasi_static* equilibrium, int i, double* motion);
