// SPDX-License-Identifier: BSD-3-Clause
// The mass matrix factored along the tree, M = L' D L, in its own place: L with its unit diagonal left out, 1/D on the
// diagonal. Branches are independent of each other; in large trees they are shared by threads.
#pragma once

#include "core/threads.h"
#include "formulation/tree/tree_mass.h"

// Whole branches, each worth a thread, and what is above them. A branch touches no velocity of another; what it
// subtracts from those above is summed apart and subtracted when all are done, in the order of branches: the same bits,
// whoever did them.
typedef struct cd_branches {
    int         nbranch;    // 0: not worth it
    int*        start;      // (nbranch + 1) velocities of a branch, leaves first: v[start[b]] ...
    int*        v;          // (nv) those above the branches stand behind all of them, leaves first
    int*        parent;     // (nbranch) velocity above it, or -1
    size_t*     sum_offset; // (nbranch) of its sums
    size_t      nsum;
    void*       memory[4];
    real*       sum;
    int*        bad_velocity; // (nbranch)
    cd_threads* threads;      // the caller's; NULL: one
} cd_branches;

// False without memory.
bool cd_branches_analyse(const cardan_model* m, cd_branches* B);
void cd_branches_release(cd_branches* B);
void cd_branches_layout(cd_branches* B, cd_arena* arena);

// `diagonal` (nv): that of M, to judge the pivots by. Returns the velocity whose pivot is no resistance but round-off,
// or CARDAN_NONE.
int cd_tree_factor(const cardan_model* m, const cd_branches* B, cd_tree_matrix* M, const real* diagonal);

// x = L'^-1 x, from the leaves; and x = L^-1 D^-1 x, from the roots.
void cd_tree_inward(const cardan_model* m, const cd_branches* B, const cd_tree_matrix* M, real* x);
void cd_tree_outward(const cardan_model* m, const cd_branches* B, const cd_tree_matrix* M, real* x);
