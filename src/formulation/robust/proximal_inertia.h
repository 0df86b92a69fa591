// SPDX-License-Identifier: BSD-3-Clause
// Inertia that is lent to motions which have none of their own, and taken back. Bodies without mass and slender rods
// have motions that constraints determine, but an elimination that goes along the tree comes to them before the rows
// do, and finds no pivot. With a little inertia E on these velocities it finds one, and
//
//   (M + E) a(s) + J'lambda(s) = r + E a(s-1),   J a(s) = gamma
//
// has the solution without E as its fixed point. What is wrong shrinks by E / (E + M) of the motion that is left free,
// about seven digits a time. A motion that nothing determines does not shrink at all: so it is found. The proximal
// point iteration of Rockafellar, 1976, SIAM J. Control Optim. 14.
#pragma once

#include "formulation/robust/iterative_refinement.h"

typedef struct cd_proximal {
    bool    is_active;
    double* added_inertia;  // (nv) kg m^2 or kg
    real *  r, *previous;   // (nv)
    real *  gamma, *lambda; // (nrow)
} cd_proximal;

void cd_proximal_layout(const cardan_model* m, const cd_rows* rows, cd_arena* arena, cd_proximal* proximal);
// Size of the inertia behind a velocity, or of what others have behind theirs where it has none.
double cd_proximal_inertia_scale(const cardan_model* m, int v);
// Lends to a velocity whose pivot is none; false where that has been tried, or without rows.
bool cd_proximal_add(const cardan_model* m, const cd_rows* rows, cd_proximal* proximal, int v);
// `once` solves with M + E, and where nothing is lent that is all.
void cd_proximal_solve(const cardan_model* m, const cd_kinematics* k, const cd_rows* rows, const cd_proximal* proximal,
                       cd_factor_solve solve, void* work, const real* r, const real* gamma, real* a, real* lambda);
// The velocity of a motion that nothing but the loan determines, or CARDAN_NONE. `a` (nv) is scratch.
int cd_proximal_find_undetermined(const cardan_model* m, const cd_kinematics* k, const cd_rows* rows,
                                  const cd_proximal* proximal, cd_factor_solve solve, void* work, real* a);
