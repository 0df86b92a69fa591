// SPDX-License-Identifier: BSD-3-Clause
// Newton's method in a build without SUNDIALS. cardan_equilibrium_solve reports the missing part before it is called.
#include "analysis/equilibrium/newton.h"

cardan_status cd_newton_solve(const cd_newton_problem* problem, double* s, int* iterations)
{
    (void)problem, (void)s, (void)iterations;
    return CARDAN_UNSUPPORTED;
}
