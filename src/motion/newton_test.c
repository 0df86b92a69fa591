// SPDX-License-Identifier: BSD-3-Clause
#include "motion/newton_test.h"

#include <math.h>
#include <stdbool.h>

static const double SMALL  = 10;  // residual, beside the error allowed, that needs no second look
static const double FALLS  = 0.5; // of a larger one, from an iteration to the next
static const double USEFUL = 0.9; // rate above which iterations lead nowhere
static const double KEPT   = 0.3; // of the rate seen before: one iteration that happens to be good is not trusted

void cd_newton_begin(cd_newton_test* test) { *test = (cd_newton_test){.rate = 1}; }

// At the first iteration of a step nothing is measured yet.
static cd_newton_verdict first(const cd_newton_test* test, double change, double residual, double allowed)
{
    return fmin(1, test->rate) * change <= allowed && residual <= SMALL * allowed ? CD_NEWTON_IS_DONE
                                                                                  : CD_NEWTON_GOES_ON;
}

static cd_newton_verdict further(const cd_newton_test* test, double change, double residual, double allowed)
{
    const double rate = test->rate, falls = residual / test->residual;
    const bool   small = residual <= SMALL * allowed;
    if (rate < 1 && rate / (1 - rate) * change <= allowed && (small || falls < FALLS)) return CD_NEWTON_IS_DONE;
    return rate > USEFUL || (!small && falls > USEFUL) ? CD_NEWTON_FAILS : CD_NEWTON_GOES_ON;
}

cd_newton_verdict cd_newton_look(cd_newton_test* test, int iteration, double change, double residual, double allowed)
{
    if (iteration > 0) test->rate = fmax(KEPT * test->rate, test->change > 0 ? change / test->change : 0);
    const cd_newton_verdict verdict =
        iteration == 0 ? first(test, change, residual, allowed) : further(test, change, residual, allowed);
    test->change   = change;
    test->residual = residual;
    return verdict;
}
