// SPDX-License-Identifier: BSD-3-Clause
// Transcriptions of an interval: points, Butcher coefficients, and for collocation the derivatives of interpolating
// polynomials.
//
//   X_j = x_k + h sum_i A_ji f(X_i),   x_(k+1) = x_k + h sum_i b_i f(X_i)        every scheme
//   h f(X_j) = sum_(r=0..d) C_rj X_r,  x_(k+1) = sum_r D_r X_r,  X_0 = x_k        collocation, the same written with derivatives
//
// Multiple shooting in its lifted form: what happens inside a step stays visible to the solver as unknowns, which
// changes neither the step nor the optimum, keeps functions short and starts from any guess of the inside.
#pragma once

#include <cardan/status.h>

enum { CD_CURVE_DEGREE_MAX = 12, CD_INTERVALS_MAX = 100000 };

typedef struct cd_scheme {
    const char* name;
    int         degree;       // points per interval
    bool        collocation;  // C and D are there
    bool        includes_end; // the last point is the end of the interval
    double      c[CD_CURVE_DEGREE_MAX], b[CD_CURVE_DEGREE_MAX], A[CD_CURVE_DEGREE_MAX][CD_CURVE_DEGREE_MAX];
    double      C[CD_CURVE_DEGREE_MAX + 1][CD_CURVE_DEGREE_MAX + 1]; // [r][j], j from 1
    double      D[CD_CURVE_DEGREE_MAX + 1];
} cd_scheme;

// False where there is no scheme of that name.
bool        cd_scheme_init(const char* name, int degree, cd_scheme* scheme);
const char* cd_scheme_name(int i); // NULL behind the last
const char* cd_scheme_summary(int i);

// Points in (0, 1], ascending.
void cd_radau_points(int degree, double* c);
void cd_gauss_points(int degree, double* c);
