// SPDX-License-Identifier: BSD-3-Clause
// The mass matrix factored along the tree, M = L' D L, in its own place: L with its unit diagonal left out, 1/D on the diagonal.
#pragma once

#include "formulation/tree_mass.h"

// `diagonal` (nv): that of M, to judge the pivots by. Returns the velocity whose pivot is no resistance but round-off, or CARDAN_NONE.
int cd_tree_factor(const cardan_model* m, cd_tree_matrix* M, const real* diagonal);

// x = L'^-1 x, from the leaves; and x = L^-1 D^-1 x, from the roots.
void cd_tree_inward(const cardan_model* m, const cd_tree_matrix* M, real* x);
void cd_tree_outward(const cardan_model* m, const cd_tree_matrix* M, real* x);
