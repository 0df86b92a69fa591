// SPDX-License-Identifier: BSD-3-Clause
// Jacobian of the equations of motion at a state, for implicit methods. With
//
//     r = ID(q, v, a) - Q(q, v, s, t) + J(q)'lambda      (nv) and the losses of worm gears, which depend on lambda
//     g = s'(q, v, s, t)                                 (ns) rates of the user states
//     c, c', c'' = constraints, rates, accelerations     (nrow each) c = 0 for nonholonomic rows; c'' = J a - gamma
//
// all partial derivatives, quaternions varied along their velocities (q (+) dq). Derivatives by q and v omit the
// losses of worm gears: Newton's iteration converges without them.
#pragma once

#include "dynamics/derivatives/state_jacobian.h"
#include "simulation/ode/ode_system.h"

// Matrices are dense, column major, with n = nv + ns + 3 nrow rows.
typedef struct cd_equation_jacobian {
    int               n, r, g, c, cdot, cddot; // number of rows; first rows of r, g, c, c', c''
    double *          by_q, *by_v;             // (n x nv)
    double*           by_s;                    // (n x ns)
    double*           M;                       // (nv x nv) dr/da
    double*           J;                       // (nv x nrow) J'; its transpose is dc'/dv and dc''/da
    double*           by_lambda;           // (nv x nrow) dr/dlambda: J', except for gears with load-dependent losses
    double *          column, *q, *z, *dq; // scratch: (n), (nq), (nz), (nv)
    cd_state_jacobian state_jacobian;
    bool              may_use_generated; // the data are not read afterwards, so generated code may compute it
} cd_equation_jacobian;

void cd_equation_jacobian_layout(const cd_ode_system* system, cd_arena* arena, cd_equation_jacobian* jacobian);

// Set the first rows only, without matrices.
void cd_equation_jacobian_set_offsets(const cd_ode_system* system, cd_equation_jacobian* jacobian);

// Compute r, g, c, c', c'' into `value` (n) at a state with given accelerations and multipliers.
cardan_status cd_equation_residual(cd_ode_system* system, const cd_equation_jacobian* jacobian, double t,
                                   const double* q, const double* z, const double* a, const double* lambda,
                                   double* value);

cardan_status cd_equation_jacobian_evaluate(cd_ode_system* system, double t, const double* q, const double* z,
                                            const double* a, const double* lambda, cd_equation_jacobian* jacobian);
