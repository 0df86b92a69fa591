// SPDX-License-Identifier: BSD-3-Clause
// Transcription schemes of an interval: points, Butcher coefficients, and for collocation the derivatives of
// interpolating polynomials.
//
//   X_j = x_k + h sum_i A_ji f(X_i),   x_(k+1) = x_k + h sum_i b_i f(X_i)        all schemes
//   h f(X_j) = sum_(r=0..d) C_rj X_r,  x_(k+1) = sum_r D_r X_r,  X_0 = x_k       collocation, in derivative form
//
// Multiple shooting is used in its lifted form: the stages of a step are unknowns of the NLP. This changes neither the
// step nor the optimum, keeps the functions short and allows any guess of the stages.
#pragma once

#include <cardan/status.h>

enum { CD_COLLOCATION_DEGREE_MAX = 12, CD_INTERVALS_MAX = 100000 };

typedef struct cd_scheme {
    const char* name;
    int         degree;       // points per interval
    bool        collocation;  // C and D are defined
    bool        includes_end; // the last point is the end of the interval
    double      c[CD_COLLOCATION_DEGREE_MAX], b[CD_COLLOCATION_DEGREE_MAX],
        A[CD_COLLOCATION_DEGREE_MAX][CD_COLLOCATION_DEGREE_MAX];
    double C[CD_COLLOCATION_DEGREE_MAX + 1][CD_COLLOCATION_DEGREE_MAX + 1]; // [r][j], j from 1
    double D[CD_COLLOCATION_DEGREE_MAX + 1];
} cd_scheme;

// Initialize a scheme. Returns false if there is none of that name.
bool cd_scheme_init(const char* name, int degree, cd_scheme* scheme);

// Collocation points in (0, 1], ascending.
void cd_radau_points(int degree, double* c);
void cd_gauss_points(int degree, double* c);
