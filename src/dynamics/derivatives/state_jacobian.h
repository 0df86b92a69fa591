// SPDX-License-Identifier: BSD-3-Clause
// Exact Jacobian of all equations of a model at the state of its data, and the derivatives of the accelerations:
//
//     r, g, c, c', c''  (equation/equation_set.h)      M a_x + J'lambda_x = -r_x,   J a_x = -c''_x
//
// Derivatives by quaternions are taken along their angular velocities. If r contains only inertia and joint force
// elements, its derivatives come from the recursion (kinematics/inverse_derivatives.h); else from dual numbers,
// bodies of one colour at once.
#pragma once

#include "dynamics/derivatives/colouring.h"
#include "dynamics/data.h"
#include "dynamics/derivatives/dual_jacobian.h"
#include "kinematics/inverse_derivatives.h"

typedef struct cd_state_jacobian {
    int nresidual, r_offset, g_offset, c_offset, c_rate_offset,
        c_acceleration_offset;           // rows of a column; first rows of r, g, c, c', c''
    bool                   inertia_only; // r contains inertia and joint force elements of tree joints only
    cd_dual_work*          dual;
    cd_colouring           colouring;
    cd_inverse_derivatives inertia;
    double *               joint_force_q, *joint_force_v; // (nv x CD_JOINT_COLUMNS)
    double *               rhs, *row_rhs;                 // (nv), (solver_rows.nrow) right-hand sides
} cd_state_jacobian;

void cd_state_jacobian_layout(const cardan_data* d, cd_arena* arena, cd_state_jacobian* s);

// Inputs of the equations that do not vary with the state. Updates off-tree joints and constraint values first.
cd_equation_input cd_state_equation_inputs(cardan_data* d);

// Compute columns of nresidual rows: by positions and velocities (nv each), by user states (nstate), at accelerations
// a (nv) and constraint multipliers lambda (nrow).
void cd_state_jacobian_compute(cardan_data* d, const double* a, const double* lambda, cd_state_jacobian* s,
                               double* by_q, double* by_v, double* by_s);

// Solve for a_x (nv) and lambda_x (solver_rows.nrow) of a column with the factor of the state, which must be valid.
// Rotor forces are contained in r.
cardan_status cd_state_jacobian_solve(cardan_data* d, const cd_state_jacobian* s, const double* column, double* a,
                                      double* lambda);
