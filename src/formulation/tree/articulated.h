// SPDX-License-Identifier: BSD-3-Clause
// Articulated-body algorithm: M a = r in sweeps over the tree without forming M. M = (1 + H) D (1 + H)' with diagonal
// D, stored as the quantities U, D of the articulated inertias.
#pragma once

#include "formulation/formulation.h"

// Size of an inertia for rotations [kg m^2] and translations [kg].
typedef struct cd_inertia_size {
    double rotational, translational;
} cd_inertia_size;

typedef struct cd_articulated {
    articulated_inertia* IA; // (nlink) articulated inertias; between two factorizations the inertias of the links alone
    spatial*             U;  // (nv) IA S
    real*                D;  // (nv) 1 / (S'U + armature)
    spatial*             p;  // (nlink) force accumulated inward, then acceleration A propagated outward
    cd_inertia_size*     inertia_size; // (nlink) massless links: size of outboard inertia; zero between factorizations
    double*       pivot_terms; // (nv) sizes of the terms that children add to a pivot; zero between two factorizations
    const double* added_inertia; // (nv) proximal inertia added to armatures, or NULL
} cd_articulated;

void          cd_articulated_layout(const cardan_model* m, cd_arena* arena, cd_articulated* w);
cardan_status cd_articulated_factor(const cardan_model* m, const cd_kinematics* k, cd_articulated* w,
                                    cd_solve_info* info);
// u (nv) = (1 + H)^-1 r: efforts at each velocity with all outboard velocities free. u may be r.
void cd_articulated_inward(const cardan_model* m, const cd_kinematics* k, cd_articulated* w, const real* r, real* u);
// The same for r = effort - c, where c are the wrenches of the links (cd_link_net_wrench) summed over all outboard
// links. The sweep does not sum them: in a chain of n links their moments about the first joints grow with n^2, but the
// accelerations of these joints do not.
void cd_articulated_inward_wrenches(const cardan_model* m, const cd_kinematics* k, cd_articulated* w,
                                    const real* effort, const spatial* wrench, real* u);
// The same for one right side that is nonzero only on a few paths to ground: `v` (n) are all velocities on these paths,
// outboard first.
void cd_articulated_inward_path(const cardan_model* m, const cd_kinematics* k, cd_articulated* w, int n, const int* v,
                                real* u);
// Compute the mobility (nlink) of each link, S_J M^-1 S_J' of its Jacobian [1/kg, 1/(kg m^2)]: the acceleration due to
// a unit force on it; own axes at its origin, linear blocks first. Requires the factor; cost linear in the number of
// links.
void cd_articulated_mobility(const cardan_model* m, const cd_kinematics* k, const cd_articulated* w,
                             articulated_inertia* mobility);
// a = (1 + H)^-T D^-1 u
void cd_articulated_outward(const cardan_model* m, const cd_kinematics* k, cd_articulated* w, const real* u, real* a);
