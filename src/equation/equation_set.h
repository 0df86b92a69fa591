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

#include "constraint/constraint_set.h"
#include "force/force.h"
#include "force/joint_forces.h"

// What does not vary with the state; kept by the caller.
typedef struct cd_equation_input {
    double         t, baumgarte_rate;
    const double*  driver_values;           // (3 x nmotion) laws of motion at t: value, rate, acceleration
    const double * history, *rotor_history; // of the closures: turns counted, feet on curves
    const bool*    is_disabled;             // (nconstraint) switched off
    const cd_stop* frozen_stops;            // (nlaw) or NULL
    const bool*    is_force_disabled;       // (nforce) elements that do not push; or NULL
    const double*  external_effort;         // (nv_all) from outside
    const double*  external_wrench;         // (nbody x 6) from outside, at the mass centres, world axes; or NULL
} cd_equation_input;

typedef struct cd_equation_set {
    const cd_force_type** type; // (nforce)
    cd_kinematics         k;
    cd_world_frame        world;
    cd_constraint_set     constraints, rotors;

    real *q, *v;  // (nq_all), (nv_all): the state; behind nq and nv what is measured, q with its last values
    real *s, *a;  // (ns), (nv)
    real* lambda; // (nrow)

    real *   signal, *formula_value, *scratch, *effort, *gamma;
    spatial *wrench, *body_wrench;
} cd_equation_set;

void cd_equation_set_layout(const cardan_model* m, cd_arena* arena, cd_equation_set* e);
// After the layout, once.
void cd_equation_set_init(const cardan_model* m, cd_equation_set* e);
// r, g, c, c', c'' into value (nv + ns + 3 nrow) at the state in e.
void cd_equation_set_evaluate(const cardan_model* m, const cd_equation_input* input, cd_equation_set* e, real* value);
