// SPDX-License-Identifier: BSD-3-Clause
// Eigenvalues and vectors of a state matrix, those at zero told apart exactly. Zero is a defective eigenvalue of every
// motion that nothing resists (position and velocity form a Jordan block), and rounding would scatter it by its square
// root. So null vectors are taken out first, level by level. What a null vector is does not depend on units: E tells of
// every entry what rounding may have left in it, rows and columns are scaled so that
//
//   R E C <= 1,      and the null vectors of A are C times those of R A C, of singular values up to sqrt(n)
//
// With null vectors X = [1; G], 1 in coordinates p of their own and G in the others, u = x - G x_p has the matrix
//
//   A1 = A - G A_p,   E1 = E + |G| E_p + dG |A_p|      eigenvectors  x_p = A_p u / lambda,  x = u + G x_p
//
// (dG: by how much rounding turns X)
// and A1 the null vectors of the next level: velocities that stay. Entries that rounding explains are zero. What is
// left goes to LAPACK, which balances it.
#pragma once

#include "core/memory.h"

typedef struct cd_spectrum {
    cd_arena arena;
    int      n;
    int      nneutral;                       // null vectors of A itself
    double*  neutral;                        // (n x nneutral) column major
    int      nzero;                          // zero eigenvalues in all
    int      count;                          // eigenvalues beside zero, pairs counted once
    double * real, *imaginary;               // (count) imaginary >= 0
    double * vector_real, *vector_imaginary; // (n x count) real and imaginary parts, column major
} cd_spectrum;

// Of A, E (n x n, column major). False without memory or where LAPACK gives up.
bool cd_spectrum_find(int n, const double* A, const double* E, cd_spectrum* spectrum);
void cd_spectrum_release(cd_spectrum* spectrum);
