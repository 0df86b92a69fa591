// SPDX-License-Identifier: BSD-3-Clause
// Stronge's law for one contact: the work that the normal impulse gives back is e^2 times that of compression
// (routh.c). For several contacts, and with spinning or rolling friction, Poisson's law is used.
#include "impact/laws/impact_work.h"
#include "impact/laws/routh.h"

extern const cd_impact_law cd_impact_poisson;

static bool is_single_point(const cd_contact_problem* contact)
{
    return contact->nelement == 1 && contact->element[0].kind == CD_ELEMENT_POINT && contact->element[0].nrow == 3;
}

static cd_contact_status apply(const cd_impact_problem* problem, double factor, cd_impact_work* work,
                               cd_impact_solution* solution, double tolerance)
{
    const cd_contact_problem* contact = &problem->contact;
    if (!is_single_point(contact)) {
        solution->is_replaced = true;
        return cd_impact_poisson.apply(problem, factor, work, solution, tolerance);
    }
    const double          e      = cd_impact_restitution(problem, 0, factor);
    const cd_routh_result result = cd_routh_impact(contact->W, contact->q, contact->element[0].mu, e);
    for (int i = 0; i < 3; ++i) solution->p[i] = result.p[i];
    solution->solves = result.steps;
    return CD_CONTACT_SOLVED;
}

extern const cd_impact_law cd_impact_energetic;
const cd_impact_law cd_impact_energetic = {"energetic", "ratio of the work of expansion and compression; one contact",
                                           apply};
