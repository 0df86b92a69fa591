// SPDX-License-Identifier: BSD-3-Clause
// Eigenvalues and eigenvectors of a state matrix, with exact zero eigenvalues. Zero is a defective eigenvalue for every
// motion without stiffness and damping (position and velocity form a Jordan block); round-off would scatter it by its
// square root. Therefore null vectors are deflated first, level by level. The decision what is a null vector does not
// depend on units: E bounds the round-off of every entry, and rows and columns are scaled so that
//
//   R E C <= 1,      null vectors of A: C times those of R A C, with singular values up to sqrt(n)
//
// With null vectors X = [1; G], the identity in coordinates p, one per vector, and G in the others,
// u = x - G x_p has the matrix
//
//   A1 = A - G A_p,   E1 = E + |G| E_p + dG |A_p|      eigenvectors  x_p = A_p u / lambda,  x = u + G x_p
//
// (dG: round-off of X). The null vectors of A1 are those of the next level: constant velocities. Entries below their
// bound are set to zero. LAPACK balances the remaining matrix and computes its eigenvalues.
#pragma once

#include "core/memory.h"

typedef struct cd_spectrum {
    cd_arena arena;
    int      n;
    int      nneutral;                       // null vectors of A itself
    double*  neutral;                        // (n x nneutral) column major
    int      nzero;                          // zero eigenvalues of all levels
    int      count;                          // non-zero eigenvalues, conjugate pairs counted once
    double * real, *imaginary;               // (count) imaginary >= 0
    double * vector_real, *vector_imaginary; // (n x count) real and imaginary parts, column major
} cd_spectrum;

// Compute the spectrum of A with round-off bounds E (n x n, column major). Returns false without
// memory or if LAPACK fails.
bool cd_spectrum_find(int n, const double* A, const double* E, cd_spectrum* spectrum);
void cd_spectrum_release(cd_spectrum* spectrum);
