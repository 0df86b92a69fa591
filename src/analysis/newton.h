// SPDX-License-Identifier: BSD-3-Clause
// r(s) = 0 by Newton's method with a line search (kinsol.c). Rows and columns of the derivative are scaled by what
// rounding may have left in it (scaling.h); along what it has no stiffness for, steps do not go.
#pragma once

#include <cardan/status.h>

typedef struct cd_newton {
    int   n;
    void* user;
    // Each returns false where it cannot be evaluated at s; the step is shortened then.
    bool (*residual)(void* user, const double* s, double* r);
    // K and what rounding may have left in it, (n x n) column major
    bool (*derivative)(void* user, const double* s, double* K, double* E);
    double tolerance;  // of the largest |r|
    double longest;    // step, Euclidean
    int    iterations; // most
} cd_newton;

// From s (n) to the solution. CARDAN_NOT_CONVERGED: s is where it got to. `iterations` is increased by those done.
cardan_status cd_newton_solve(const cd_newton* newton, double* s, int* iterations);
