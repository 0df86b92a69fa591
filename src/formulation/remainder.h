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

typedef struct cd_remainder {
    // what r is made of (split); NULL: not known
    const real*    effort;
    const spatial* wrench;
    spatial *      A, *F;      // (nlink, [-1] ground) accelerations without those at a = 0; forces
    real*          s;          // (nv, then nrow) what is left
    real *         a, *lambda; // (nv), (nrow) corrections
} cd_remainder;

void cd_remainder_layout(const cardan_model* m, const cd_rows* rows, cd_arena* arena, cd_remainder* rest);
void cd_remainder_find(const cardan_model* m, const cd_kinematics* k, const cd_rows* rows, const cd_remainder* rest,
                       const real* gamma, const real* a, const real* lambda);

static inline void cd_remainder_split(cd_remainder* rest, const real* effort, const spatial* wrench)
{
    rest->effort = effort;
    rest->wrench = wrench;
}

// Free bodies pass nothing on to each other: in flat coordinates no digits are missing, and loads of links are not
// kept.
static inline bool cd_remainder_known(const cardan_model* m, const cd_remainder* rest, const cd_kinematics* k)
{
    return m->policy != CARDAN_TREE_FLAT && rest->effort && k->world;
}

// Pivots below this part leave so few digits that they are worth looking for.
static const double cd_remainder_weak = 1e-4;

// One solve with the factor at hand.
typedef void (*cd_solve_once)(const cardan_model* m, const cd_kinematics* k, const cd_rows* rows, void* work,
                              const real* r, const real* gamma, real* a, real* lambda);
// Digits of a and lambda that are missing, as long as corrections shrink. `free`: size of the accelerations without
// constraints, of which those with them may be differences.
void cd_remainder_refine(const cardan_model* m, const cd_kinematics* k, const cd_rows* rows, const cd_remainder* rest,
                         cd_solve_once once, void* work, const real* gamma, double free, real* a, real* lambda);
