// SPDX-License-Identifier: BSD-3-Clause
// Slopes of the equations of motion at a state, for implicit methods and linearization. With
//
//     r = ID(q, v, a) - Q(q, v, s, t) + J(q)'lambda      (nv)
//     g = s'(q, v, s, t)                                 (ns) rates of the user's states
//     c, c' = constraints, values and rates              (nrow each) rows that hold for velocities only have the value 0
//
// all partial derivatives, quaternions varied along their velocities (q (+) dq).
#pragma once

#include "motion/system.h"

// Matrices are dense, column major, with n = nv + ns + 2 nrow rows: those of r, of g, of c, of c'.
typedef struct cd_slopes {
    int     n;
    double *by_q, *by_v;  // (n x nv)
    double* by_s;         // (n x ns)
    double* by_a;         // (n x nv) only the rows of r are not zero: the mass matrix
    double* by_lambda;    // (n x nrow) only the rows of r are not zero: J'
    double *here, *there; // (n) scratch
    double *q, *z, *dq, *mass;
} cd_slopes;

void cd_slopes_layout(const cd_system* system, cd_arena* arena, cd_slopes* slopes);

// r, g, c, c' into `value` (n) at a point, with accelerations and multipliers.
cardan_status cd_equations_at(cd_system* system, double t, const double* q, const double* z, const double* a, const double* lambda, double* value);

cardan_status cd_slopes_at(cd_system* system, double t, const double* q, const double* z, const double* a, const double* lambda, cd_slopes* slopes);
