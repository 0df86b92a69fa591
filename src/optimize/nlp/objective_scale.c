// SPDX-License-Identifier: BSD-3-Clause
// Scale of the objective.
#include "optimize/nlp/nlp_solver.h"

#include "core/memory.h"

#include <math.h>
#include <stdlib.h>

static const double max_scaled_derivative = 100;

double cd_nlp_objective_scale(cd_block_nlp* p, const double* x)
{
    double* gradient = cd_allocate((size_t)p->n + 1, sizeof *gradient);
    double* lambda   = cd_allocate((size_t)p->m + 1, sizeof *lambda);
    double* hessian  = cd_allocate((size_t)p->nhessian + 1, sizeof *hessian);
    double  most = 0, max_first = 0;
    if (gradient && lambda && hessian) {
        cd_block_nlp_gradient(p, x, gradient);
        cd_block_nlp_hessian(p, x, 1, lambda, hessian);
        for (int i = 0; i < p->n; ++i) max_first = fmax(max_first, fabs(gradient[i]));
        for (int i = 0; i < p->nhessian; ++i) most = fmax(most, fabs(hessian[i]));
    }
    const bool good = gradient && lambda && hessian;
    most            = fmax(most, max_first);
    free(hessian);
    free(lambda);
    free(gradient);
    if (!good) return -1;
    if (!isfinite(most) || most <= max_scaled_derivative) return 1;
    return max_first > max_scaled_derivative ? max_first / most : max_scaled_derivative / most;
}
