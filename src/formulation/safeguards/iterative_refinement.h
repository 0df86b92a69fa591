// SPDX-License-Identifier: BSD-3-Clause
// Iterative refinement with residuals of accelerations a and multipliers lambda that are computed link by link. In long
// mechanisms r and the entries of M are sums over all outboard links and have lost the digits in which links differ.
// Here wrenches, inertias and rows act where they are applied (A, F in link axes),
//
//   F = I A + wrench + G'lambda + sum over the children's F
//   s = effort - S'F - armature a,   t = gamma - G A + compliance lambda
//
// and the solution of M da + J' dlambda = s, J da = t with the same factor corrects the digits that were lost.
#pragma once

#include "formulation/formulation.h"

typedef struct cd_refinement {
    // terms of r of the solve (cd_right_sides); NULL: not available
    const real*    effort;
    const spatial* wrench;
    spatial *      A, *F;        // (nlink, [-1] ground) accelerations without those at a = 0; forces
    real*          residual;     // (nv, then nrow) residual s, then t
    real *         da, *dlambda; // (nv), (nrow) corrections
} cd_refinement;

void cd_refinement_layout(const cardan_model* m, const cd_rows* rows, cd_arena* arena, cd_refinement* refinement);
// Residual s and t of the equations at a and lambda.
void cd_refinement_compute_residual(const cd_problem* p, const cd_refinement* refinement, const real* gamma,
                                    const real* a, const real* lambda);

// Take the terms of r of a solve.
static inline void cd_refinement_begin(cd_refinement* refinement, const cd_right_sides* rhs)
{
    refinement->effort = rhs->effort;
    refinement->wrench = rhs->wrench;
}

// Return whether refinement is possible. In maximal coordinates free bodies have no outboard links, so that no digits
// are lost, and wrenches of links are not stored.
static inline bool cd_refinement_is_possible(const cd_problem* p, const cd_refinement* refinement)
{
    return p->m->policy != CARDAN_TREE_MAXIMAL && refinement->effort && p->k->world_pose;
}

// Solve with the current factor.
typedef void (*cd_factor_solve)(const cd_problem* p, void* work, const real* r, const real* gamma, real* a,
                                real* lambda);
// Refine a and lambda as long as the corrections shrink. `free_acceleration` is the size of the accelerations without
// constraints; the constrained accelerations may be small differences of those.
void cd_refinement_iterate(const cd_problem* p, const cd_refinement* refinement, cd_factor_solve solve, void* work,
                           const real* gamma, double free_acceleration, const cd_solution* x);
