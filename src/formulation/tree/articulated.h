// SPDX-License-Identifier: BSD-3-Clause
// M a = r in sweeps over the tree without forming M: M = (1 + H) D (1 + H)' with D diagonal, kept as the articulated
// inertias make it.
#pragma once

#include "formulation/formulation.h"

// Size of an inertia against turning and against moving.
typedef struct cd_inertia_size {
    double rotational, translational;
} cd_inertia_size;

typedef struct cd_articulated {
    articulated_inertia* IA; // (nlink) articulated inertias; between two factorizations the links' own
    spatial*             U;  // (nv) IA S
    real*                D;  // (nv) 1 / (S'U + armature)
    spatial*             p;  // (nlink) force carried inward, then acceleration A carried outward
    cd_inertia_size*
                  inertia_size; // (nlink) of links without inertia: of what they carry; zero between two factorizations
    double*       pivot_terms;  // (nv) sizes of what children add to a pivot; zero between two factorizations
    const double* added_inertia; // (nv) added to armatures, or NULL
} cd_articulated;

void          cd_articulated_layout(const cardan_model* m, cd_arena* arena, cd_articulated* w);
cardan_status cd_articulated_factor(const cardan_model* m, const cd_kinematics* k, cd_articulated* w,
                                    cd_solve_info* info);
// u (nv) = (1 + H)^-1 r: what is left of the efforts at each velocity when all velocities outboard of it are free. u
// may be r.
void cd_articulated_inward(const cardan_model* m, const cd_kinematics* k, cd_articulated* w, const real* r, real* u);
// The same for r = effort - c, where c are the loads of the links (cd_link_net_wrench) summed over everything outboard. The
// loads are not summed: in a chain of n links their moments about the first joints grow with n^2, and the accelerations
// of these joints do not.
void cd_articulated_inward_wrenches(const cardan_model* m, const cd_kinematics* k, cd_articulated* w,
                                    const real* effort, const spatial* wrench, real* u);
// The same for one right side that is not zero on a few ways to ground only: `v` (n) are all velocities on these ways,
// outer ones first.
void cd_articulated_inward_path(const cardan_model* m, const cd_kinematics* k, cd_articulated* w, int n, const int* v,
                                real* u);
// (nlink) how far a unit force on a link accelerates it, all else free: S_J M^-1 S_J' of its Jacobian, own axes at its
// origin, linear blocks first. With the factor; linear in the number of links.
void cd_articulated_mobility(const cardan_model* m, const cd_kinematics* k, const cd_articulated* w,
                             articulated_inertia* mobility);
// a = (1 + H)^-T D^-1 u
void cd_articulated_outward(const cardan_model* m, const cd_kinematics* k, cd_articulated* w, const real* u, real* a);
