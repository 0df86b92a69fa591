// SPDX-License-Identifier: BSD-3-Clause
// Solution of a contact problem by the exact cone law (docs/theory/cone-law.md).
#pragma once

#include "core/memory.h"
#include "impact/contact_problem.h"

// Work memory for problems of up to `max_rows` rows and `max_elements` elements.
typedef struct cd_contact_work cd_contact_work;

// Lay out work memory; returns NULL while the arena only measures.
cd_contact_work* cd_contact_work_layout(cd_arena* arena, int max_rows, int max_elements);

// Find p and u. solution->p holds start values (zeros: none). Of all p of the same u, the one of least change from the
// start values is returned, weighted by the diagonal of W, so that it does not depend on units. SOLVED: the residual is
// at most tolerance * velocity_scale, or the round-off of W p. NOT_CONVERGED: the best p found. INFEASIBLE: there is a
// direction z of K with W z = 0 along which every u contradicts the law, or every combination of states of sliding
// contacts was refuted.
cd_contact_status cd_contact_solve(const cd_contact_problem* problem, cd_contact_work* work,
                                   cd_contact_solution* solution, double tolerance);

// u = W p + q; returns the residual of the law (solution->residual of contact_problem.h).
double cd_contact_residual(const cd_contact_problem* problem, const double* p, double* u);
