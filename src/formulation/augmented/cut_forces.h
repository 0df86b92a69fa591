// SPDX-License-Identifier: BSD-3-Clause
// Forces at the cuts of a tree whose mass matrix is factored, M = L D L' with any L that goes from the leaves to the
// roots:
//
//   L T = J',   N = T' D^-1 T + C,   N lambda = T' D^-1 z - gamma          C: compliance of the rows
//
// T is not zero on the ways of a cut's ends to ground (paper 002, Lemma 3), and cuts that share no way do not meet in
// N.
#pragma once

#include "formulation/formulation.h"
#include "math/block_ldl/skyline_ldl.h"

typedef struct cd_cuts {
    int ncut;
    int*
        path_start; // (ncut + 1) entries start[c] .. start[c + 1] are the velocities on the ways of cut c, outer ones first
    int* path_velocity;  // velocity
    int* path_column;    // its column in the cut's own rows, or CARDAN_NONE: there J is zero
    int* velocity_start; // (nv + 1) entries of velocity v, by cut: entry[first[v]] .. entry[first[v + 1]]
    int* velocity_entry;
    int* entry_cut; // of an entry

    cd_skyline N;
    size_t*    T_offset; // (entries) of the nrow numbers of its cut in T
    size_t     nT;
    real*      T;
} cd_cuts;

// Symbolic, in memory of its own; false without. Numeric memory is laid out after it.
bool cd_cuts_analyse(const cardan_model* m, const cd_rows* rows, cd_cuts* cuts);
void cd_cuts_release(cd_cuts* cuts);
void cd_cuts_layout(cd_cuts* cuts, cd_arena* arena);

// N from T, D (nv) holds inverse pivots; rows->compliance on its diagonal.
void cd_cuts_assemble(const cd_rows* rows, cd_cuts* cuts, int nv, const real* one_over_D);
// Factor of N; which pivots are null is measured by rows and by constraints.
int cd_cuts_factor(const cd_rows* rows, cd_skyline* N, double tolerance);
// lambda (nrow) = T'z - gamma, z (nv). Returns the largest term of T'z: what the rows would see without forces.
double cd_cuts_form_rhs(const cd_rows* rows, const cd_cuts* cuts, const real* z, const real* gamma, real* lambda);
// u (nv) -= T lambda.
void cd_cuts_apply_forces(const cd_rows* rows, const cd_cuts* cuts, const real* lambda, real* u);
