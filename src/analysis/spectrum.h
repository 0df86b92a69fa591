// SPDX-License-Identifier: BSD-3-Clause
// Eigenvalues and vectors of a state matrix, those at zero told apart exactly. Zero is a defective eigenvalue of every
// motion that nothing resists (position and velocity form a Jordan block), and rounding would scatter it by its square
// root. So null vectors are taken out first, level by level: with X = [X1 X0] orthogonal and A X0 = 0,
//
//   X'A X = [ A1 0; A01 0 ],   A1 = X1'A X1      eigenvectors  y = X1 y1 + X0 (A01 y1) / lambda
//
// A1 has the null vectors of the next level: velocities that stay.
#pragma once

#include "core/memory.h"

enum { CD_SPECTRUM_LEVELS = 8 };

typedef struct cd_spectrum {
    cd_arena arena;
    int      n;
    int      nneutral;         // null vectors of A itself
    double*  neutral;          // (n x nneutral) column major
    int      nzero;            // zero eigenvalues in all
    int      count;            // eigenvalues beside zero, pairs counted once
    double * real, *imaginary; // (count) imaginary >= 0
    double * vector, *other;   // (n x count) real and imaginary parts, column major
} cd_spectrum;

// Of A (n x n, column major). Null: singular values up to `null` times the largest. False without memory or where
// LAPACK gives up.
bool cd_spectrum_find(int n, const double* A, double null, cd_spectrum* spectrum);
void cd_spectrum_release(cd_spectrum* spectrum);
