// SPDX-License-Identifier: BSD-3-Clause
// Table of impact laws, and their application: the energy is checked,
//
//   T+ - T- = p.(u+ + u-)/2 <= 1e-12 T-,
//
// and coefficients of restitution are multiplied by the largest factor that satisfies it; as well where a law has no
// solution because contacts that others keep closed would have to part. With the factor 0 the cone law
// gives p.u+ <= 0, hence T+ - T- = p.u+ - p.W p/2 <= 0.
#include "impact/impact_law.h"

#include "impact/impact_tolerances.h"
#include "impact/laws/impact_work.h"

#include <math.h>
#include <string.h>

#define CD_IMPACT_LAW(name) extern const cd_impact_law cd_impact_##name;
#include "impact/impact_laws.def"
#undef CD_IMPACT_LAW

static const cd_impact_law* const laws[] = {
#define CD_IMPACT_LAW(name) &cd_impact_##name,
#include "impact/impact_laws.def"
#undef CD_IMPACT_LAW
};

enum { BISECTIONS = 40 };

const cd_impact_law* cd_impact_law_at(int index)
{
    return index >= 0 && index < CD_IMPACT_LAW_COUNT ? laws[index] : NULL;
}

int cd_impact_law_find(const char* name)
{
    for (int i = 0; i < CD_IMPACT_LAW_COUNT; ++i)
        if (strcmp(laws[i]->name, name) == 0) return i;
    return -1;
}

cd_impact_work* cd_impact_work_layout(cd_arena* arena, int max_rows, int max_elements)
{
    cd_impact_work  measured = {0};
    cd_impact_work* work     = cd_arena_allocate(arena, 1, sizeof *work);
    cd_impact_work* w        = work ? work : &measured;
    w->contact               = cd_contact_work_layout(arena, max_rows, max_elements);
    CD_ARENA_ARRAY(arena, w->element, max_elements);
    CD_ARENA_ARRAY(arena, w->q, max_rows);
    CD_ARENA_ARRAY(arena, w->p, max_rows);
    CD_ARENA_ARRAY(arena, w->u, max_rows);
    CD_ARENA_ARRAY(arena, w->start, max_rows);
    CD_ARENA_ARRAY(arena, w->is_unique, max_elements);
    return work;
}

static cd_contact_status apply(const cd_impact_law* law, const cd_impact_problem* problem, double factor,
                               cd_impact_work* work, cd_impact_solution* solution, double tolerance)
{
    for (int i = 0; i < problem->contact.nrow; ++i) solution->p[i] = work->start[i];
    for (int i = 0; i < problem->contact.nelement; ++i) solution->is_unique[i] = true;
    solution->residual             = 0;
    solution->solves               = 0;
    solution->is_replaced          = false;
    solution->restitution_factor   = factor;
    const cd_contact_status status = law->apply(problem, factor, work, solution, tolerance);
    cd_impact_evaluate(problem, solution);
    return status;
}

// T- as far as the contacts see it, if the caller does not know it.
static double energy_scale(const cd_impact_problem* problem, const cd_impact_solution* solution)
{
    double work = 0;
    for (int i = 0; i < problem->contact.nrow; ++i) work += fabs(solution->p[i] * problem->contact.q[i]);
    return problem->energy > 0 ? problem->energy : work / 2;
}

static bool rises(const cd_impact_problem* problem, const cd_impact_solution* solution)
{
    return solution->energy_change > cd_impact_energy_rise * energy_scale(problem, solution);
}

cd_contact_status cd_impact_solve(const cd_impact_law* law, const cd_impact_problem* problem, cd_impact_work* work,
                                  cd_impact_solution* solution, double tolerance)
{
    double low = 0, high = 1;
    for (int i = 0; i < problem->contact.nrow; ++i) work->start[i] = solution->p[i];
    cd_contact_status status = apply(law, problem, 1, work, solution, tolerance);
    if (status == CD_CONTACT_SOLVED && !rises(problem, solution)) return status;
    if (status == CD_CONTACT_NOT_CONVERGED) return status;
    for (int i = 0; i < BISECTIONS; ++i) {
        const double middle = (low + high) / 2;
        status              = apply(law, problem, middle, work, solution, tolerance);
        if (status != CD_CONTACT_SOLVED || rises(problem, solution))
            high = middle;
        else
            low = middle;
    }
    return apply(law, problem, low, work, solution, tolerance);
}
