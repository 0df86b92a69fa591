// SPDX-License-Identifier: BSD-3-Clause
// Multipliers of the cut joints of a tree with factored mass matrix, M = L D L' with any L that is eliminated from the
// leaves to the roots:
//
//   L T = J',   N = T' D^-1 T + C,   N lambda = T' D^-1 u - gamma          L u = r,  C: compliance of the rows
//
// T is nonzero only on the paths from the ends of a cut to ground (paper 002, Lemma 3), and cuts without a common path
// are not coupled in N.
#pragma once

#include "formulation/formulation.h"
#include "math/block_ldl/skyline_ldl.h"

typedef struct cd_cuts {
    int  ncut;
    int* path_start;     // (ncut + 1) entries start[c] .. start[c + 1] - 1: velocities on the paths of cut c, outboard
                         // first
    int* path_velocity;  // (entries) velocity
    int* path_column;    // (entries) its column in the cut's own rows, or CARDAN_NONE: there J is zero
    int* velocity_start; // (nv + 1) entries of velocity v, by cut: entry[start[v]] .. entry[start[v + 1]]
    int* velocity_entry;
    int* entry_cut; // (entries) cut of an entry

    cd_skyline N;
    size_t*    T_offset; // (entries) offset in T of the nrow numbers of the entry's cut
    size_t     nT;
    real*      T;
} cd_cuts;

// Symbolic analysis in separately allocated memory; returns false if memory is exhausted. cd_cuts_layout follows it.
bool cd_cuts_analyse(const cardan_model* m, const cd_rows* rows, cd_cuts* cuts);
void cd_cuts_release(cd_cuts* cuts);
void cd_cuts_layout(cd_cuts* cuts, cd_arena* arena);

// Assemble N from T with inverse pivots one_over_D (nv) and rows->compliance on the diagonal.
void cd_cuts_assemble(const cd_rows* rows, cd_cuts* cuts, int nv, const real* one_over_D);
// Factor N, testing null pivots relative to row and constraint. Returns the row of an invalid pivot, or -1.
int cd_cuts_factor(const cd_problem* p, cd_skyline* N, double tolerance);
// Conditioning of the rows in the factor of N, without proximal inertia.
cd_pivot_conditioning cd_skyline_conditioning(const cd_skyline* N);
// lambda (nrow) = T'z - gamma, z (nv) = D^-1 u. Returns the largest term of T'z, the size of the row accelerations
// without constraint forces.
double cd_cuts_form_rhs(const cd_rows* rows, const cd_cuts* cuts, const real* z, const real* gamma, real* lambda);
// u (nv) -= T lambda.
void cd_cuts_apply_forces(const cd_rows* rows, const cd_cuts* cuts, const real* lambda, real* u);
