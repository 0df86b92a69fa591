// SPDX-License-Identifier: BSD-3-Clause
// Newton's law for all contacts at once, u_n+ >= -e u_n-: the cone law with the shift w_n = e u_n- of the contacts that
// approach (Moreau 1988).
#include "impact/laws/impact_work.h"

static cd_contact_status apply(const cd_impact_problem* problem, double factor, cd_impact_work* work,
                               cd_impact_solution* solution, double tolerance)
{
    cd_impact_copy_elements(problem, work);
    for (int i = 0; i < problem->contact.nelement; ++i) {
        const cd_contact_element* e = &problem->contact.element[i];
        work->element[i].shift      = cd_impact_restitution(problem, i, factor) * problem->contact.q[e->row];
    }
    for (int i = 0; i < problem->contact.nrow; ++i) {
        work->p[i]     = solution->p[i];
        solution->p[i] = 0;
    }
    return cd_impact_add_solve(problem, problem->contact.q, work, solution, tolerance);
}

extern const cd_impact_law cd_impact_newton;
const cd_impact_law        cd_impact_newton = {"newton", "ratio of the normal velocities, all contacts at once", apply};
