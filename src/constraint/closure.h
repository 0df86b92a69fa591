// SPDX-License-Identifier: BSD-3-Clause
// All constraints of a model, evaluated at a state, and their rows in the model's coordinates.
#pragma once

#include "constraint/constraint.h"
#include "constraint/rows.h"

typedef struct cd_closure {
    int            nconstraint, nrow;
    cd_constraint* constraint;  // (nconstraint)

    // cd_closure_evaluate
    double *      value, *rate, *h;  // (nrow)
    cd_equations* equations;         // (nconstraint)
    double*       angle;             // (nconstraint) turns counted from the last call

    // cd_closure_jacobian
    cd_row_block* block;  // (nconstraint)
} cd_closure;

// Refuses joints that cannot close a loop.
cardan_status cd_closure_check(const cardan_model* m, cardan_report* report);
int           cd_closure_rows(const cardan_model* m);
void          cd_closure_layout(const cardan_model* m, cd_arena* arena, cd_closure* closure);
void          cd_closure_evaluate(const cd_world* world, cd_closure* closure);
void          cd_closure_jacobian(const cardan_model* m, const cd_kinematics* k, const cd_world* world, cd_closure* closure);
// gamma (nrow): J a = gamma; `world` must hold the accelerations that links have at a = 0.
void cd_closure_gamma(const cd_world* world, const cd_closure* closure, double* gamma);
