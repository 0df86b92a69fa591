// SPDX-License-Identifier: BSD-3-Clause
// Real roots of polynomials of low degree.
#pragma once

enum { CD_POLYNOMIAL_DEGREE_MAX = 8 };

// Roots of c[0] + c[1] x + ... + c[n] x^n in [a, b] where the polynomial changes sign, ascending; returns their
// number, at most n.
int cd_polynomial_roots(int n, const double* c, double a, double b, double* root);
