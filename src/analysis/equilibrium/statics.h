// SPDX-License-Identifier: BSD-3-Clause
// Forces at rest as a function of few unknowns. Around a centre q0 on the constraints, p = (s, z):
//
//   q(s) = close(q0 (+) U^-1 N0 s)        s: along the motions allowed at the centre; z0 + Z z: the user's states
//   r(p) = (N0'P(q) U^-1 g(q, z), -F zdot / R)    g = ID(q, 0, 0) - Q;  P: projection onto the motions allowed at q
//
// For forces with a potential V the first part is the gradient of V(q(s)), and its derivative at s = 0 the Hessian,
// geometric stiffness of the constraints included, without their multipliers. F is the size of the forces at work: all
// of r are moments [N m]. Z, R are natural sizes of states and of their rates at the centre, so that units of states do
// not matter. docs/theory/equilibrium.md (3), (4)
#pragma once

#include "analysis/jacobian_bounds.h"
#include "analysis/tangent_space.h"

typedef struct cd_statics {
    cardan_data*     d;
    cd_tangent_space tangent; // at the last evaluation
    cd_arena         arena;
    int              nmotion, nz, size;  // motions at the centre, states, both
    double  force_scale, forces_at_work; // F [N m]: forces at work, and 1 where there are none; they themselves
    double *q0, *z0, *basis0;            // centre; (nv x n) its motions, in units
    double* zero_nv;                     // (nv) zeros
    double *state_scale, *rate_scale;    // (nz) Z, R
    double *g, *x, *p, *lower, *upper;   // scratch
    double *lambda, *change;             // (nrow) what bears g at the centre; (nv) scratch
    long    evaluations;
    cd_jacobian_bounds bounds;                // of the slopes at the centre
    bool               is_exact;              // the last stiffness came from them
    int                rank, max_rank_nearby; // of the constraints at the centre, and the largest beside it
} cd_statics;

// Drivers stand still and velocities are zero from here on.
cardan_status cd_statics_create(cardan_data* d, cd_statics* s, cardan_report* report);
void          cd_statics_release(cd_statics* s);

// The state of the data becomes the centre. False where it cannot be closed.
bool cd_statics_set_centre(cd_statics* s);
// Why the centre, its residual or what is unbalanced there could not be had.
cardan_status cd_statics_fail(const cd_statics* s, cardan_report* report);
// The data at p (size); false where that cannot be closed.
bool cd_statics_set_state(cd_statics* s, const double* p);
bool cd_statics_residual(cd_statics* s, const double* p, double* r);
// dr/dp (size x size, column major). At a centre that is not singular exactly, from the slopes of g + J'lambda with the
// multipliers that bear g there: N0'P U^-1 d(g) + N0'd(P) U^-1 g = N0'U^-1 d(g + J'lambda), because N0'J' = 0 there.
// Elsewhere by central differences of fourth order.
bool cd_statics_stiffness(cd_statics* s, const double* p, double* K);
// E (size x size, column major): what rounding may have left in the K that was found last.
void cd_statics_rounding(cd_statics* s, const double* K, double* E);
// g (nv) with what constraints bear taken out, in units: P U^-1 g at the state of the data. False where that is not
// finite.
bool cd_statics_unbalanced_forces(cd_statics* s, double* x);
