// SPDX-License-Identifier: BSD-3-Clause
// Exact slopes of all equations of a model at the state of its data, and what accelerations answer to them:
//
//     r, g, c, c', c''  (equation/equation_set.h)      M a_x + J'lambda_x = -r_x,   J a_x = -c''_x
//
// Quaternions are varied along their velocities. Where nothing but inertia and laws along joints is in r, it comes from
// the recursion (kinematics/inverse_derivatives.h); else from dual numbers, bodies of one colour at once.
#pragma once

#include "dynamics/derivatives/colouring.h"
#include "dynamics/data.h"
#include "dynamics/derivatives/dual_jacobian.h"
#include "kinematics/inverse_derivatives.h"

typedef struct cd_state_jacobian {
    int nresidual, r_offset, g_offset, c_offset, c_rate_offset,
        c_acceleration_offset;           // rows of a column; where those of r, g, c, c', c'' begin
    bool                   inertia_only; // inertia and laws along joints of the tree: no more
    cd_dual_work*          dual;
    cd_colouring           colouring;
    cd_inverse_derivatives inertia;
    double *               joint_force_q, *joint_force_v; // (nv x CD_JOINT_COLUMNS)
    double *               rhs, *row_rhs;                 // (nv), (rows of the formulation): right sides
} cd_state_jacobian;

void cd_state_jacobian_layout(const cardan_data* d, cd_arena* arena, cd_state_jacobian* s);

// What does not vary with the state of the data, which is measured and closed first.
cd_equation_input cd_state_equation_inputs(cardan_data* d);

// Columns of n rows: by positions and velocities (nv each), by states (ns). At accelerations a (nv) and multipliers
// lambda (of the constraints).
void cd_state_jacobian_compute(cardan_data* d, const double* a, const double* lambda, cd_state_jacobian* s,
                               double* by_q, double* by_v, double* by_s);

// a_x (nv) and lambda_x (rows of the formulation) for a column, with the factor of the state, which must be known. Rows
// of rotors are in r already.
cardan_status cd_state_jacobian_solve(cardan_data* d, const cd_state_jacobian* s, const double* column, double* a,
                                      double* lambda);
