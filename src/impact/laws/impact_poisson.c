// SPDX-License-Identifier: BSD-3-Clause
// Poisson's law in the form of Pfeiffer and Glocker (1996): compression, the cone law with w = 0, gives p_c. Expansion:
// the impulses e p_c,n n act from outside; friction may carry mu (e p_c,n + p_n), p_n >= 0 the impulse against new
// approach.
#include "impact/laws/impact_work.h"

static cd_contact_status expand(const cd_impact_problem* problem, double factor, cd_impact_work* work,
                                cd_impact_solution* solution, double tolerance)
{
    const cd_contact_problem* contact = &problem->contact;
    bool                      expands = false;
    for (int i = 0; i < contact->nrow; ++i) work->q[i] = solution->u[i];
    for (int k = 0; k < contact->nelement; ++k) {
        const double e       = cd_impact_restitution(problem, k, factor);
        const int    row     = contact->element[k].row;
        const double impulse = e * work->p[row];
        if (!(impulse > 0)) continue;
        expands                  = true;
        work->element[k].preload = impulse;
        solution->p[row] += impulse;
        for (int i = 0; i < contact->nrow; ++i) work->q[i] += contact->W[(long)i * contact->nrow + row] * impulse;
    }
    if (!expands) return CD_CONTACT_SOLVED;
    for (int i = 0; i < contact->nrow; ++i) work->p[i] = 0;
    return cd_impact_add_solve(problem, work->q, work, solution, tolerance);
}

static cd_contact_status apply(const cd_impact_problem* problem, double factor, cd_impact_work* work,
                               cd_impact_solution* solution, double tolerance)
{
    cd_impact_copy_elements(problem, work);
    for (int i = 0; i < problem->contact.nrow; ++i) {
        work->p[i]     = solution->p[i];
        solution->p[i] = 0;
    }
    const cd_contact_status status = cd_impact_add_solve(problem, problem->contact.q, work, solution, tolerance);
    return status == CD_CONTACT_SOLVED ? expand(problem, factor, work, solution, tolerance) : status;
}

extern const cd_impact_law cd_impact_poisson;
const cd_impact_law        cd_impact_poisson = {"poisson", "ratio of the impulses of expansion and compression", apply};
