// SPDX-License-Identifier: BSD-3-Clause
// Exact derivatives of inverse dynamics, stored along the paths of the tree.
#pragma once

#include "kinematics/kinematics.h"

// Entries of velocities on different branches are zero and not stored. Row v contains v, its predecessor, ... up to the
// root, as in m->v_parent, and has m->v_depth[v] entries.
typedef struct cd_inverse_derivatives {
    int*  start;            // (nv) first entry of row v
    real *q, *q_transposed; // (entries) d tau(v) / d q(u), and d tau(u) / d q(v), for u on the path from v
    real *v, *v_transposed; // the same by velocities
    real* a;                // by accelerations: the mass matrix, which is symmetric

    // scratch, in the frame of the root of each tree
    struct cd_link_derivative_terms*   link;   // (nlink)
    struct cd_column_derivative_terms* column; // (nv)
} cd_inverse_derivatives;

void cd_inverse_derivatives_layout(const cardan_model* m, cd_arena* arena, cd_inverse_derivatives* d);

// Compute the derivatives of tau = ID(q, v, a), after cd_forward_kinematics and cd_root_frame_poses. `a` may be NULL
// (zero), and so may the external wrenches (nlink: at the link's origin, link axes), which rotate with their links.
// Quaternions vary along their angular velocities.
void cd_inverse_derivatives_evaluate(const cardan_model* m, const cd_kinematics* k, const real* v, const real* a,
                                     const spatial* wrench, cd_inverse_derivatives* d);
