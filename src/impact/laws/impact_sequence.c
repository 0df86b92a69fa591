// SPDX-License-Identifier: BSD-3-Clause
// One contact after the other, the fastest approach first, ties by index, until none approaches: the limit of small
// distances between the bodies. A point follows the energetic law (routh.c), a limit Newton's law. A last solve with e
// = 0 removes the remaining approach.
#include "impact/impact_tolerances.h"
#include "impact/laws/impact_work.h"
#include "impact/laws/routh.h"

#include <math.h>

enum { MAX_IMPACTS = 10000 };

// Element with the fastest approach; -1 if none is faster than the limit.
static int fastest(const cd_contact_problem* contact, const double* u)
{
    int    best  = -1;
    double speed = cd_impact_sequence_approach * contact->velocity_scale;
    for (int k = 0; k < contact->nelement; ++k) {
        const int row = contact->element[k].row;
        if (!cd_impact_is_contact(&contact->element[k]) || !(-u[row] > speed * (1 + 1e-12))) continue;
        speed = -u[row];
        best  = k;
    }
    return best;
}

// Newton's law or, for a point with three rows, the energetic law, of one contact alone.
static cd_contact_status single_impact(const cd_contact_problem* contact, int k, double e, cd_impact_work* work,
                                       const double* u, double* p, double tolerance)
{
    cd_contact_element element = work->element[k];
    const int          n = element.nrow, row = element.row;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) work->block[i * n + j] = contact->W[(long)(row + i) * contact->nrow + row + j];
    if (element.kind == CD_ELEMENT_POINT && n == 3) {
        const cd_routh_result result = cd_routh_impact(work->block, u + row, element.mu, e);
        for (int i = 0; i < 3; ++i) p[i] = result.p[i];
        return CD_CONTACT_SOLVED;
    }
    double              after[6];
    bool                is_unique;
    cd_contact_solution solution = {.p = p, .u = after, .is_unique = &is_unique};
    element.row                  = 0;
    element.shift                = e * u[row];
    for (int i = 0; i < n; ++i) p[i] = 0;
    const cd_contact_problem single = {n, 1, work->block, u + row, &element, contact->velocity_scale};
    return cd_contact_solve(&single, work->contact, &solution, tolerance);
}

static cd_contact_status apply(const cd_impact_problem* problem, double factor, cd_impact_work* work,
                               cd_impact_solution* solution, double tolerance)
{
    const cd_contact_problem* contact = &problem->contact;
    const int                 n       = contact->nrow;
    cd_impact_copy_elements(problem, work);
    for (int i = 0; i < n; ++i) {
        work->q[i]     = contact->q[i];
        solution->p[i] = 0;
    }
    for (int impact = 0; impact < MAX_IMPACTS; ++impact) {
        const int k = fastest(contact, work->q);
        double    p[6];
        if (k < 0) break;
        const double            e      = factor * problem->restitution[k];
        const cd_contact_status status = single_impact(contact, k, e, work, work->q, p, tolerance);
        if (status != CD_CONTACT_SOLVED) return status;
        ++solution->solves;
        const int row = contact->element[k].row;
        for (int r = 0; r < contact->element[k].nrow; ++r) {
            solution->p[row + r] += p[r];
            for (int i = 0; i < n; ++i) work->q[i] += contact->W[(long)i * n + row + r] * p[r];
        }
    }
    for (int i = 0; i < n; ++i) work->p[i] = 0;
    const int               impacts = solution->solves;
    const cd_contact_status status  = cd_impact_add_solve(problem, work->q, work, solution, tolerance);
    solution->solves                = impacts;
    return status;
}

extern const cd_impact_law cd_impact_sequence;
const cd_impact_law cd_impact_sequence = {"sequence", "one contact after the other, the fastest approach first", apply};
