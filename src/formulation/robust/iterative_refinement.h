// SPDX-License-Identifier: BSD-3-Clause
// What accelerations a and multipliers lambda leave of the equations, link by link. In long mechanisms r, summed over
// everything outboard, and entries of M, which are such sums, have lost the digits in which links differ from each
// other. Here loads, inertias and rows act where they are (A, F in axes of the links),
//
//   F = I A + load + G'lambda + what the children pass on,   s = effort - S'F - armature a,   t = gamma - G A + compliance lambda
//
// so that M da + J'dl = s, J da = t by the same factor gives the digits that are missing.
#pragma once

#include "formulation/formulation.h"

typedef struct cd_refinement {
    // what r is made of (split); NULL: not known
    const real*    effort;
    const spatial* wrench;
    spatial *      A, *F;        // (nlink, [-1] ground) accelerations without those at a = 0; forces
    real*          residual;     // (nv, then nrow) what is left
    real *         da, *dlambda; // (nv), (nrow) corrections
} cd_refinement;

void cd_refinement_layout(const cardan_model* m, const cd_rows* rows, cd_arena* arena, cd_refinement* refinement);
void cd_refinement_compute_residual(const cardan_model* m, const cd_kinematics* k, const cd_rows* rows,
                                    const cd_refinement* refinement, const real* gamma, const real* a,
                                    const real* lambda);

static inline void cd_refinement_set_link_wrenches(cd_refinement* refinement, const real* effort, const spatial* wrench)
{
    refinement->effort = effort;
    refinement->wrench = wrench;
}

// Free bodies pass nothing on to each other: in flat coordinates no digits are missing, and loads of links are not
// kept.
static inline bool cd_refinement_is_possible(const cardan_model* m, const cd_refinement* refinement,
                                             const cd_kinematics* k)
{
    return m->policy != CARDAN_TREE_MAXIMAL && refinement->effort && k->world_pose;
}

// Pivots below this part leave so few digits that they are worth looking for.
static const double cd_refine_below_pivot = 1e-4;

// One solve with the factor at hand.
typedef void (*cd_factor_solve)(const cardan_model* m, const cd_kinematics* k, const cd_rows* rows, void* work,
                                const real* r, const real* gamma, real* a, real* lambda);
// Digits of a and lambda that are missing, as long as corrections shrink. `free`: size of the accelerations without
// constraints, of which those with them may be differences.
void cd_refinement_iterate(const cardan_model* m, const cd_kinematics* k, const cd_rows* rows,
                           const cd_refinement* refinement, cd_factor_solve solve, void* work, const real* gamma,
                           double free_acceleration, real* a, real* lambda);
