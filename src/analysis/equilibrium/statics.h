// SPDX-License-Identifier: BSD-3-Clause
// Static forces as a function of independent coordinates. Around a centre q0 on the constraints, p = (s, z):
//
//   q(s) = project(q0 (+) U^-1 N0 s)             s: coordinates in the tangent space at q0; z0 + Z z: user states
//   r(p) = (N0'P(q) U^-1 g(q, z), -F zdot / R)   g = ID(q, 0, 0) - Q;  P: projection onto the tangent space at q
//
// For forces with a potential V, the first part is the gradient of V(q(s)); its derivative at s = 0 is the Hessian,
// which includes the geometric stiffness of the constraints without their multipliers. F is the force scale, so that
// all components of r are moments [N m]. Z, R are the natural scales of user states and of their rates at the centre,
// which makes the result independent of the units of the states. docs/theory/equilibrium.md (3), (4)
#pragma once

#include "analysis/jacobian_bounds.h"
#include "analysis/tangent_space.h"

typedef struct cd_statics {
    cardan_data*     d;
    cd_tangent_space tangent; // at the last evaluation
    cd_arena         arena;
    int              nmotion, nz, size; // dimension of the tangent space at the centre; user states; sum of both
    double           force_scale,
        applied_force_scale;             // F [N m]: largest applied force, 1 if there is none; largest applied force
    double *           q0, *z0, *basis0; // centre; (nv x nmotion) N0, in units
    double*            zero_nv;          // (nv) zeros
    double *           state_scale, *rate_scale;  // (nz) Z, R
    double *           g, *x, *p, *lower, *upper; // scratch
    double *           lambda, *change;           // (nrow) multipliers that balance g at the centre; (nv) scratch
    long               evaluations;
    cd_jacobian_bounds bounds;                // state Jacobian at the centre with round-off bounds
    bool               is_exact;              // the last stiffness was computed from `bounds`
    int                rank, max_rank_nearby; // rank of the constraints at the centre; largest rank at nearby states
} cd_statics;

// Allocate, freeze the drivers and set the velocities of the data to zero.
cardan_status cd_statics_create(cardan_data* d, cd_statics* s, cardan_report* report);
void          cd_statics_release(cd_statics* s);

// Project the state of the data onto the constraints and make it the centre. Returns false if the projection fails.
bool cd_statics_set_centre(cd_statics* s);
// Fail with the reason why the centre, its residual or the unbalanced forces could not be computed.
cardan_status cd_statics_fail(const cd_statics* s, cardan_report* report);
// Set the data to p (size) and project. Returns false if the projection fails.
bool cd_statics_set_state(cd_statics* s, const double* p);
bool cd_statics_residual(cd_statics* s, const double* p, double* r);
// Compute dr/dp (size x size, column major). At a non-singular centre: exact, from the derivatives of g + J'lambda with
// the multipliers that balance g there, N0'P U^-1 d(g) + N0'd(P) U^-1 g = N0'U^-1 d(g + J'lambda), because N0'J' = 0
// there. Elsewhere: central differences of fourth order. Returns false if an evaluation fails.
bool cd_statics_stiffness(cd_statics* s, const double* p, double* K);
// Compute E (size x size, column major): bound of the round-off in the K computed last.
void cd_statics_rounding(cd_statics* s, const double* K, double* E);
// Compute x (nv), in units: g at the state of the data without the part that the constraints carry, P U^-1 g. Returns
// false if it is not finite.
bool cd_statics_unbalanced_forces(cd_statics* s, double* x);
