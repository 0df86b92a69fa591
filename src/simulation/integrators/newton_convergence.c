// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/integrators/newton_convergence.h"
#include "simulation/simulation_tolerances.h"

#include <math.h>
#include <stdbool.h>

void cd_newton_convergence_reset(cd_newton_convergence* test)
{
    *test = (cd_newton_convergence){.convergence_rate = 1};
}

// Test the first iteration of a step, for which no rate is measured yet.
static cd_newton_status test_first(const cd_newton_convergence* test, double correction, double residual,
                                   double allowed)
{
    return fmin(1, test->convergence_rate) * correction <= allowed && residual <= cd_newton_small_residual * allowed
               ? CD_NEWTON_CONVERGED
               : CD_NEWTON_CONTINUE;
}

static cd_newton_status test_further(const cd_newton_convergence* test, double correction, double residual,
                                     double allowed)
{
    const double rate = test->convergence_rate, reduction = residual / test->residual;
    const bool   small = residual <= cd_newton_small_residual * allowed;
    if (rate < 1 && rate / (1 - rate) * correction <= allowed && (small || reduction < cd_newton_residual_reduction))
        return CD_NEWTON_CONVERGED;
    return rate > cd_newton_useful_rate || (!small && reduction > cd_newton_useful_rate) ? CD_NEWTON_FAILED
                                                                                         : CD_NEWTON_CONTINUE;
}

cd_newton_status cd_newton_convergence_test(cd_newton_convergence* test, int iteration, double correction,
                                            double residual, double allowed)
{
    if (iteration > 0)
        test->convergence_rate = fmax(cd_newton_rate_memory * test->convergence_rate,
                                      test->correction > 0 ? correction / test->correction : 0);
    const cd_newton_status status = iteration == 0 ? test_first(test, correction, residual, allowed)
                                                   : test_further(test, correction, residual, allowed);
    test->correction              = correction;
    test->residual                = residual;
    return status;
}
