// SPDX-License-Identifier: BSD-3-Clause
// Work memory and shared parts of the impact laws.
#pragma once

#include "impact/contact_solve.h"
#include "impact/impact_law.h"

struct cd_impact_work {
    cd_contact_work*    contact;
    cd_contact_element* element;   // (max_elements) with the shifts of the law
    double *            q, *p, *u; // (max_rows)
    double*             start;     // (max_rows) start values of the caller
    bool*               is_unique; // (max_elements)
    double              block[36]; // W of one element
};

// e of an element times `factor`; 0 where it does not approach.
double cd_impact_restitution(const cd_impact_problem* problem, int element, double factor);
// Is the element unilateral?
bool cd_impact_is_contact(const cd_contact_element* element);
// Elements of the problem without shifts and preloads.
void cd_impact_copy_elements(const cd_impact_problem* problem, cd_impact_work* work);
// Solve the contact problem W, q with the elements of `work`; adds p to solution->p, updates u, is_unique, residual.
cd_contact_status cd_impact_add_solve(const cd_impact_problem* problem, const double* q, cd_impact_work* work,
                                      cd_impact_solution* solution, double tolerance);
// u+ = W p + u-; T+ - T-
void cd_impact_evaluate(const cd_impact_problem* problem, cd_impact_solution* solution);
