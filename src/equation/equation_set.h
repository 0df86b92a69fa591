// SPDX-License-Identifier: BSD-3-Clause
// All equations of a model at a state, in one evaluation over `real`, for number types other than that of the runtime:
//
//     r   = ID(q, v, a) - Q(q, v, s, t) + J(q)'lambda     (nv)  rotors and applied forces included
//     g   = s'(q, v, s, t)                                (nstate) rates of the user states
//     c   = values of the constraints                     (nrow) 0 for nonholonomic rows
//     c'  = their rates                                   (nrow)
//     c'' = J a - gamma                                   (nrow) with Baumgarte terms
#pragma once

#include "constraint/constraint_set.h"
#include "equation/grab_force.h"
#include "force/compliant_contact.h"
#include "force/force.h"
#include "force/joint_forces.h"

// Inputs that do not depend on the state; owned by the caller.
typedef struct cd_equation_input {
    double               t, baumgarte_rate;
    const double*        driver_values; // (3 x ndriver_function) driver functions at t: value, rate, acceleration
    const double *       history, *rotor_history; // of the constraint sets: winding, foot points on curves
    const bool*          is_disabled;             // (nconstraint)
    const cd_stop_state* frozen_stops;            // (njoint_force) or NULL
    const bool*          is_force_disabled;       // (nforce) elements without force; or NULL
    const double*        external_effort;         // (nv_joint)
    const double*        external_wrench;         // (nbody x 6) at the mass centres, world axes; or NULL
    int                  ngrab;
    const cd_grab*       grab; // (ngrab)
    int                  ncontact;
    const cd_compliant_contact* contact;    // (ncontact) with rates
    const double*               relaxation; // (nbristle) of deflections that no contact holds
} cd_equation_input;

typedef struct cd_equation_set {
    const cd_force_type** type; // (nforce)
    cd_kinematics         k;
    cd_world_motion       world;
    cd_constraint_set     constraints, rotors;

    real *q, *v;  // (nq_joint), (nv_joint): state; behind nq, nv: off-tree joints, q with its last values
    real *s, *a;  // (nstate), (nv)
    real* lambda; // (nrow)

    real *   signal, *formula_value, *scratch, *effort, *gamma;
    spatial *wrench, *body_wrench;
} cd_equation_set;

void cd_equation_set_layout(const cardan_model* m, cd_arena* arena, cd_equation_set* e);
// Call once after the layout.
void cd_equation_set_init(const cardan_model* m, cd_equation_set* e);
// Compute r, g, c, c', c'' in value (nv + nstate + 3 nrow) at the state in e.
void cd_equation_set_evaluate(const cardan_model* m, const cd_equation_input* input, cd_equation_set* e, real* value);
