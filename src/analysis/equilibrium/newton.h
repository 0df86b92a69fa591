// SPDX-License-Identifier: BSD-3-Clause
// Newton's method with line search for r(s) = 0 (newton_kinsol.c). Rows and columns of the Jacobian are equilibrated by
// the bound of its round-off (equilibration.h); steps have no component along its numerical null space.
#pragma once

#include <cardan/status.h>

typedef struct cd_newton_problem {
    int   n;
    void* user;
    // Return false if the function cannot be evaluated at s; the step is then shortened.
    bool (*residual)(void* user, const double* s, double* r);
    // K and the bound E of its round-off, (n x n) column major
    bool (*jacobian)(void* user, const double* s, double* K, double* E);
    double tolerance;      // largest accepted |r|, infinity norm
    double max_step;       // limit of a step, Euclidean norm
    int    max_iterations; // limit of iterations
} cd_newton_problem;

// Solve from the guess s (n); s becomes the solution. Returns CARDAN_NOT_CONVERGED with the last iterate in s. Adds the
// number of iterations to *iterations.
cardan_status cd_newton_solve(const cd_newton_problem* problem, double* s, int* iterations);
