// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/integrators/newton_convergence.h"

#include <math.h>
#include <stdbool.h>

static const double SMALL_RESIDUAL     = 10;  // times the allowed error: residuals below need no further test
static const double RESIDUAL_REDUCTION = 0.5; // required reduction of larger residuals per iteration
static const double USEFUL_RATE        = 0.9; // convergence rate above which the iteration fails
static const double RATE_MEMORY        = 0.3; // of the earlier rate: a single good iteration is not trusted

void cd_newton_convergence_reset(cd_newton_convergence* test)
{
    *test = (cd_newton_convergence){.convergence_rate = 1};
}

// Test the first iteration of a step, for which no rate is measured yet.
static cd_newton_status test_first(const cd_newton_convergence* test, double correction, double residual,
                                   double allowed)
{
    return fmin(1, test->convergence_rate) * correction <= allowed && residual <= SMALL_RESIDUAL * allowed
               ? CD_NEWTON_CONVERGED
               : CD_NEWTON_CONTINUE;
}

static cd_newton_status test_further(const cd_newton_convergence* test, double correction, double residual,
                                     double allowed)
{
    const double rate = test->convergence_rate, reduction = residual / test->residual;
    const bool   small = residual <= SMALL_RESIDUAL * allowed;
    if (rate < 1 && rate / (1 - rate) * correction <= allowed && (small || reduction < RESIDUAL_REDUCTION))
        return CD_NEWTON_CONVERGED;
    return rate > USEFUL_RATE || (!small && reduction > USEFUL_RATE) ? CD_NEWTON_FAILED : CD_NEWTON_CONTINUE;
}

cd_newton_status cd_newton_convergence_test(cd_newton_convergence* test, int iteration, double correction,
                                            double residual, double allowed)
{
    if (iteration > 0)
        test->convergence_rate =
            fmax(RATE_MEMORY * test->convergence_rate, test->correction > 0 ? correction / test->correction : 0);
    const cd_newton_status status = iteration == 0 ? test_first(test, correction, residual, allowed)
                                                   : test_further(test, correction, residual, allowed);
    test->correction              = correction;
    test->residual                = residual;
    return status;
}
