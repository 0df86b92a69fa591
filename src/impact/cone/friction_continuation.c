// SPDX-License-Identifier: BSD-3-Clause
// Last means against a problem that neither Newton's method nor the interior point method solves: the coefficients of
// friction grow from 0, where the problem is convex, in steps that are halved where Newton's method does not converge.
#include "impact/cone/contact_work.h"
#include "impact/cone/gauss_seidel.h"

#include <math.h>

enum { MAX_STEPS = 60, SWEEPS = 5 };

static void scale_friction(cd_cone_problem* cone, const double* coefficient, double factor)
{
    for (int k = 0; k < cone->nset; ++k) cone->set[k].coefficient = factor * coefficient[k];
}

double cd_friction_continuation(cd_contact_work* work, double tolerance, int* solves)
{
    cd_cone_problem* cone    = &work->cone;
    double           reached = 0, step = 0.25, residual = INFINITY;
    for (int k = 0; k < cone->nset; ++k) work->coefficient[k] = cone->set[k].coefficient;
    for (int i = 0; i < cone->n; ++i) work->x[i] = work->y[i] = 0;
    for (int count = 0; count < MAX_STEPS && step > 1e-6; ++count) {
        const double next = fmin(1, reached + step);
        scale_friction(cone, work->coefficient, next);
        cd_gauss_seidel_sweeps(cone, SWEEPS, work->x);
        residual = cd_newton_polish_run(cone, &work->newton, work->x, tolerance, CD_POLISH_SOLVES, solves);
        if (residual <= tolerance) {
            reached = next;
            step *= 1.5;
            for (int i = 0; i < cone->n; ++i) work->trial[i] = work->x[i];
            if (reached >= 1) break;
        } else {
            step /= 2;
            for (int i = 0; i < cone->n; ++i) work->x[i] = reached > 0 ? work->trial[i] : 0;
        }
    }
    scale_friction(cone, work->coefficient, 1);
    return reached >= 1 ? residual : INFINITY;
}
