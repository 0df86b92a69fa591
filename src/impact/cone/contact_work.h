// SPDX-License-Identifier: BSD-3-Clause
// Work memory of contact_solve.c and its parts.
#pragma once

#include "impact/cone/cone_problem.h"
#include "impact/contact_solve.h"
#include "impact/contact_states_internal.h"
#include "impact/cone/newton_polish.h"

struct cd_contact_work {
    cd_cone_problem   cone;
    cd_newton_polish  newton;
    cd_states_work*   states;               // null space of the solution
    cd_element_state* state;                // (max_elements) of the solution
    bool*             is_unique;            // (max_elements)
    double*           coefficient;          // (3 max_elements) of the friction sets
    double *          x, *best, *y, *trial; // (max_rows) scaled
    double *          state_p, *state_u;    // (max_rows) of states
    double *          p0, *p, *u;           // (max_rows) start values; trial
};

// cone_program.c: rows of the cones of the whole problem into work->states->program, whose H is `H`. has_shift: with
// the lagged shifts of Coulomb's law.
void cd_cone_program(cd_contact_work* work, const double* H, bool has_shift);

// least_change.c: of the impulses with the same velocities, those of least change from work->p0; sets is_unique.
void cd_least_change(const cd_contact_problem* problem, cd_contact_work* work, cd_contact_solution* solution,
                     double tolerance);

// least_change.c: the states that the velocities u show, up to `limit` [m/s], as equations. work->p, work->u: result;
// returns its residual.
double cd_try_states(const cd_contact_problem* problem, cd_contact_work* work, const double* u, double limit);

// infeasible_direction.c: is there z in K with W z = 0 and z.(q + w) < 0?
bool cd_has_infeasible_direction(cd_contact_work* work);

// friction_continuation.c: solve for coefficients of friction that grow from 0 to their values. x: result. Returns its
// residual, infinite if the values were not reached.
double cd_friction_continuation(cd_contact_work* work, double tolerance, int* solves);

// sliding_states.c: try all combinations of open and closed sliding contacts. Returns the residual of x, the result, or
// of the best one; *is_refuted: no combination satisfies the law.
double cd_try_sliding_states(const cd_contact_problem* problem, cd_contact_work* work, double tolerance, int* solves,
                             bool* is_refuted);
