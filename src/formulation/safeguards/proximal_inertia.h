// SPDX-License-Identifier: BSD-3-Clause
// Proximal inertia for velocities without inertia. Massless bodies and slender rods have motions that constraints
// determine, but an elimination along the tree reaches them before the rows and finds no pivot. A small inertia E on
// these velocities provides one, and the iteration
//
//   (M + E) a(s) + J'lambda(s) = r + E a(s-1),   J a(s) = gamma
//
// has the solution for E = 0 as its fixed point. Each iteration reduces the error by the factor E / (E + M) of the
// remaining free motion, about seven digits. An undetermined motion does not shrink, which identifies it. Proximal
// point iteration: Rockafellar, 1976, SIAM J. Control Optim. 14.
#pragma once

#include "formulation/safeguards/iterative_refinement.h"

// Inertia that was added once remains for all following states, until cd_proximal_reset.
typedef struct cd_proximal {
    bool    is_active;
    double* added_inertia;  // (nv) [kg m^2, kg]
    real *  r, *previous;   // (nv)
    real *  gamma, *lambda; // (nrow)
} cd_proximal;

void cd_proximal_layout(const cardan_model* m, const cd_rows* rows, cd_arena* arena, cd_proximal* proximal);
// Remove all proximal inertia.
void cd_proximal_reset(const cardan_model* m, cd_proximal* proximal);
// Return the inertia scale of a velocity [kg m^2, kg]; for a velocity without inertia the mean scale of the others.
double cd_proximal_inertia_scale(const cardan_model* m, int v);
// Add proximal inertia to a velocity without pivot. Returns false if it already has some, or without rows.
bool cd_proximal_add(const cardan_model* m, const cd_rows* rows, cd_proximal* proximal, int v);
// Solve with M + E by `solve` and iterate; without proximal inertia this is a single solve.
void cd_proximal_solve(const cd_problem* p, const cd_proximal* proximal, cd_factor_solve solve, void* work,
                       const real* r, const real* gamma, real* a, real* lambda);
// Return the velocity of a motion that only the proximal inertia determines, or CARDAN_NONE. `a` (nv) is scratch.
int cd_proximal_find_undetermined(const cd_problem* p, const cd_proximal* proximal, cd_factor_solve solve, void* work,
                                  real* a);
