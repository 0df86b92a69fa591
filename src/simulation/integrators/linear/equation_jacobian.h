// SPDX-License-Identifier: BSD-3-Clause
// Slopes of the equations of motion at a state, for implicit methods. With
//
//     r = ID(q, v, a) - Q(q, v, s, t) + J(q)'lambda      (nv) and the losses of worms, which go with lambda
//     g = s'(q, v, s, t)                                 (ns) rates of the user's states
//     c, c', c'' = constraints, rates, accelerations     (nrow each) rows that hold for velocities only have the value
//                                                        0; c'' = J a - gamma
//
// all partial derivatives, quaternions varied along their velocities (q (+) dq). Slopes by q and v leave losses of
// worms out: Newton's iteration takes them up.
#pragma once

#include "dynamics/derivatives/state_jacobian.h"
#include "simulation/ode/ode_system.h"

// Matrices are dense, column major, with n = nv + ns + 3 nrow rows.
typedef struct cd_equation_jacobian {
    int               n, r, g, c, cdot, cddot; // how many rows; where those of r, g, c, c', c'' begin
    double *          by_q, *by_v;             // (n x nv)
    double*           by_s;                    // (n x ns)
    double*           M;                       // (nv x nv) r by a
    double*           J;                       // (nv x nrow) J', whose transpose is c' by v and c'' by a
    double*           by_lambda;           // (nv x nrow) r by lambda: J itself, but for gears that lose by their load
    double *          column, *q, *z, *dq; // scratch: (n), (nq), (nz), (nv)
    cd_state_jacobian state_jacobian;
    bool              may_use_generated; // nobody looks at the data afterwards: generated code may stand in
} cd_equation_jacobian;

void cd_equation_jacobian_layout(const cd_ode_system* system, cd_arena* arena, cd_equation_jacobian* slopes);

// The same without matrices: where rows begin.
void cd_equation_jacobian_set_offsets(const cd_ode_system* system, cd_equation_jacobian* slopes);

// r, g, c, c', c'' into `value` (n) at a point, with accelerations and multipliers.
cardan_status cd_equation_residual(cd_ode_system* system, const cd_equation_jacobian* slopes, double t, const double* q,
                                   const double* z, const double* a, const double* lambda, double* value);

cardan_status cd_equation_jacobian_evaluate(cd_ode_system* system, double t, const double* q, const double* z,
                                            const double* a, const double* lambda, cd_equation_jacobian* slopes);
