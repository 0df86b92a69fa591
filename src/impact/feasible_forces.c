// SPDX-License-Identifier: BSD-3-Clause
// Admissible forces of redundant contacts: largest t with
//
//   p = p_0 + N x,   p_n >= t,   |p_t| <= mu p_n - sqrt(1 + mu^2) t,   t <= scale of the forces
//
// N: forces that cause no accelerations. The bound on t makes it finite where contacts can be pressed together at
// will. An interior point method solves it with a term 1e-10 |x|^2/2, so that x is determined.
#include "impact/contact_states_internal.h"
#include "impact/impact_tolerances.h"

#include <math.h>

// Impulses of the null vectors, of the size of p.
static void null_forces(const cd_contact_problem* problem, cd_states_work* work, double scale)
{
    for (int v = 0; v < work->nullity; ++v) {
        double* force   = work->null_force + (long)v * problem->nrow;
        double  largest = 0;
        for (int i = 0; i < problem->nrow; ++i) force[i] = 0;
        cd_active_columns_expand(&work->columns, work->basis + (long)v * work->columns.count, force);
        for (int i = 0; i < problem->nrow; ++i) largest = fmax(largest, fabs(force[i]));
        for (int i = 0; i < problem->nrow; ++i) force[i] *= scale / largest;
    }
}

static bool maximize(cd_states_work* work)
{
    const int n = work->nullity + 1;
    for (int i = 0; i < n * n; ++i) work->H[i] = 0;
    for (int i = 0; i < n; ++i) {
        work->H[i * n + i] = 1e-10;
        work->c[i]         = i == n - 1 ? -1 : 0;
    }
    work->program.n            = n;
    work->program.H            = work->H;
    work->program.c            = work->c;
    work->program.is_symmetric = true;
    const int limit            = 60;
    cd_interior_point_solve(&work->program, &work->interior, work->x, 1e-13, limit);
    return isfinite(work->x[n - 1]);
}

double cd_contact_feasible_forces(const cd_contact_problem* problem, const cd_element_state* state,
                                  cd_states_work* work, cd_states_solution* solution)
{
    const double own   = cd_states_margin(problem, state, solution->p);
    double       scale = 0;
    for (int i = 0; i < problem->nrow; ++i) scale = fmax(scale, fabs(solution->p[i]));
    if (own >= -cd_impact_cone_roundoff * scale || work->nullity == 0 || scale == 0) return own;
    null_forces(problem, work, scale);
    cd_states_build_cones(problem, state, work, solution->p, scale, true);
    if (!maximize(work)) return own;
    for (int v = 0; v < work->nullity; ++v)
        for (int i = 0; i < problem->nrow; ++i)
            solution->p[i] += work->x[v] * work->null_force[(long)v * problem->nrow + i];
    return cd_states_margin(problem, state, solution->p);
}
