// SPDX-License-Identifier: BSD-3-Clause
// Mass matrix factored along the tree, M = L' D L, in place: L without its unit diagonal, 1/D on the diagonal. Branches
// are independent of each other; in large trees several threads share them.
#pragma once

#include "core/threads.h"
#include "formulation/tree/tree_mass.h"

// Complete branches, each large enough for a thread, and the velocities inboard of them. A branch modifies no velocity
// of another; its updates of inboard velocities are summed separately and subtracted after all branches are done, in
// branch order, so that the result is bitwise independent of the threads.
typedef struct cd_branches {
    int         nbranch;    // 0: too small for several threads
    int*        start;      // (nbranch + 1) velocities of a branch, leaves first: v[start[b]] ...
    int*        v;          // (nv) velocities inboard of the branches follow after all branches, leaves first
    int*        parent;     // (nbranch) velocity inboard of it, or -1
    size_t*     sum_offset; // (nbranch) offset of its sums
    size_t      nsum;
    void*       memory[4];
    real*       sum;
    int*        bad_velocity; // (nbranch) velocity without pivot, or CARDAN_NONE
    cd_threads* threads;      // owned by the caller; NULL: one thread
} cd_branches;

// Returns false if memory is exhausted.
bool cd_branches_analyse(const cardan_model* m, cd_branches* B);
void cd_branches_release(cd_branches* B);
void cd_branches_layout(cd_branches* B, cd_arena* arena);

// Factor M in place. `diagonal` (nv) is the diagonal of M, the scale of the pivots. Returns the velocity whose pivot is
// round-off, or CARDAN_NONE.
int cd_tree_factor(const cardan_model* m, const cd_branches* B, cd_tree_matrix* M, const real* diagonal);

// x = L'^-1 x, from the leaves; x = L^-1 D^-1 x, from the roots.
void cd_tree_inward(const cardan_model* m, const cd_branches* B, const cd_tree_matrix* M, real* x);
void cd_tree_outward(const cardan_model* m, const cd_branches* B, const cd_tree_matrix* M, real* x);
