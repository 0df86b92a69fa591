// SPDX-License-Identifier: BSD-3-Clause
// Parts that the impact laws share.
#include "impact/laws/impact_work.h"

#include <math.h>

bool cd_impact_is_contact(const cd_contact_element* element)
{
    return element->kind == CD_ELEMENT_POINT || element->kind == CD_ELEMENT_LIMIT;
}

double cd_impact_restitution(const cd_impact_problem* problem, int element, double factor)
{
    const cd_contact_element* e = &problem->contact.element[element];
    return cd_impact_is_contact(e) && problem->contact.q[e->row] < 0 ? factor * problem->restitution[element] : 0;
}

void cd_impact_copy_elements(const cd_impact_problem* problem, cd_impact_work* work)
{
    for (int i = 0; i < problem->contact.nelement; ++i) {
        work->element[i]         = problem->contact.element[i];
        work->element[i].shift   = 0;
        work->element[i].preload = 0;
    }
}

cd_contact_status cd_impact_add_solve(const cd_impact_problem* problem, const double* q, cd_impact_work* work,
                                      cd_impact_solution* solution, double tolerance)
{
    cd_contact_problem  contact    = problem->contact;
    cd_contact_solution part       = {.p = work->p, .u = work->u, .is_unique = work->is_unique};
    contact.element                = work->element;
    contact.q                      = q;
    const cd_contact_status status = cd_contact_solve(&contact, work->contact, &part, tolerance);
    for (int i = 0; i < contact.nrow; ++i) {
        solution->p[i] += part.p[i];
        solution->u[i] = part.u[i];
    }
    for (int i = 0; i < contact.nelement; ++i) solution->is_unique[i] = solution->is_unique[i] && part.is_unique[i];
    solution->residual = fmax(solution->residual, part.residual);
    ++solution->solves;
    return status;
}

void cd_impact_evaluate(const cd_impact_problem* problem, cd_impact_solution* solution)
{
    const cd_contact_problem* contact = &problem->contact;
    double                    change  = 0;
    for (int i = 0; i < contact->nrow; ++i) {
        const double* W   = contact->W + (long)i * contact->nrow;
        double        sum = contact->q[i];
        for (int j = 0; j < contact->nrow; ++j) sum += W[j] * solution->p[j];
        solution->u[i] = sum;
        change += solution->p[i] * (sum + contact->q[i]) / 2;
    }
    solution->energy_change = change;
}
