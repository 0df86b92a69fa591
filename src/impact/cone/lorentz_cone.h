// SPDX-License-Identifier: BSD-3-Clause
// Lorentz cones L = { |x_t| <= x_0 } of 1 to 3 components: Jordan product, Nesterov-Todd scaling, steps to the
// boundary (Vandenberghe, The CVXOPT linear and quadratic cone program solvers, 2010, sections 2 and 5).
#pragma once

// x'J x = x_0^2 - |x_t|^2
double cd_lorentz_square(int n, const double* x);
// r: x o y = (x.y, x_0 y_t + y_0 x_t)
void cd_lorentz_product(int n, const double* x, const double* y, double* r);
// u with x o u = r
void cd_lorentz_divide(int n, const double* x, const double* r, double* u);
// W and its inverse (n x n in 3 x 3, symmetric): W y = W^-1 s = lambda. s and y lie inside the cone.
void cd_lorentz_scaling(int n, const double* s, const double* y, double W[9], double inverse[9], double* lambda);
// Largest a <= 1e10 with x + a d in the cone.
double cd_lorentz_step(int n, const double* x, const double* d);
