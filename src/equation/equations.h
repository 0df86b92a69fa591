// SPDX-License-Identifier: BSD-3-Clause
// All equations of a model at a state, in one evaluation over `real`, for those who want them in other numbers than the
// runtime's:
//
//     r   = ID(q, v, a) - Q(q, v, s, t) + J(q)'lambda     (nv)  rotors and loads included
//     g   = s'(q, v, s, t)                                (ns)  rates of the user's states
//     c   = values of the constraints                     (nrow) 0 of rows that hold for velocities only
//     c'  = their rates                                   (nrow)
//     c'' = J a - gamma                                   (nrow) with the pull of a stabilization
#pragma once

#include "constraint/closure.h"
#include "force/force.h"
#include "force/laws.h"

// What does not vary with the state; kept by the caller.
typedef struct cd_given {
    double         t, pull;
    const double*  law;                   // (3 x nmotion) laws of motion at t: value, rate, acceleration
    const double * memory, *rotor_memory; // of the closures: turns counted, feet on curves
    const bool*    off;                   // (nconstraint) switched off
    const cd_stop* held;                  // (nlaw) or NULL
    const bool*    left_out;              // (nforce) elements that do not push; or NULL
    const double*  effort;                // (nv_all) from outside
    const double*  wrench;                // (nbody x 6) from outside, at the mass centres, world axes; or NULL
} cd_given;

typedef struct cd_equation_set {
    const cd_force_type** type; // (nforce)
    cd_kinematics         k;
    cd_world              world;
    cd_closure            closure, rotors;

    real *q, *v;  // (nq_all), (nv_all): the state; behind nq and nv what is measured, q with its last values
    real *s, *a;  // (ns), (nv)
    real* lambda; // (nrow)

    real *   signal, *rates, *scratch, *effort, *gamma;
    spatial *wrench, *outer;
} cd_equation_set;

void cd_equation_set_layout(const cardan_model* m, cd_arena* arena, cd_equation_set* e);
// After the layout, once.
void cd_equation_set_begin(const cardan_model* m, cd_equation_set* e);
// r, g, c, c', c'' into value (nv + ns + 3 nrow) at the state in e.
void cd_equation_set_evaluate(const cardan_model* m, const cd_given* given, cd_equation_set* e, real* value);
