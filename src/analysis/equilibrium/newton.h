// SPDX-License-Identifier: BSD-3-Clause
// r(s) = 0 by Newton's method with a line search (newton_kinsol.c). Rows and columns of the derivative are scaled by what
// rounding may have left in it (equilibration.h); along what it has no stiffness for, steps do not go.
#pragma once

#include <cardan/status.h>

typedef struct cd_newton_problem {
    int   n;
    void* user;
    // Each returns false where it cannot be evaluated at s; the step is shortened then.
    bool (*residual)(void* user, const double* s, double* r);
    // K and what rounding may have left in it, (n x n) column major
    bool (*jacobian)(void* user, const double* s, double* K, double* E);
    double tolerance;      // of the largest |r|
    double max_step;       // step, Euclidean
    int    max_iterations; // most
} cd_newton_problem;

// From s (n) to the solution. CARDAN_NOT_CONVERGED: s is where it got to. `iterations` is increased by those done.
cardan_status cd_newton_solve(const cd_newton_problem* problem, double* s, int* iterations);
