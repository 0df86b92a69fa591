// SPDX-License-Identifier: BSD-3-Clause
// Solvers of nonlinear programs. Only ipopt.c includes IPOPT; another solver takes the same block NLP and may
// use its block structure.
#pragma once

#include "optimize/nlp/block_nlp.h"

typedef struct cd_nlp_options {
    double tolerance;
    int    max_iterations;         // limit of iterations
    bool   warm_start;             // start from the multipliers of `solution` as well
    bool   condensed;              // points of intervals are eliminated: fewer unknowns, denser rows
    bool   starts_from_trajectory; // the start is a trajectory, not a straight line: move it less from the bounds
    bool   may_be_unbounded;       // a control has neither bounds nor weight: no minimum
    cardan_location location;      // of the task, for messages
    void*           user;
    bool (*iteration_callback)(void* user, int iteration, double objective,
                               double violation); // return false to stop; may be NULL
} cd_nlp_options;

// x: start, then result; the others are results.
typedef struct cd_nlp_solution {
    double *x, *g, *lambda, *lambda_lower, *lambda_upper; // (n), (m), (m), multipliers of bounds (n), (n)
    double  objective;
    int     iterations;
} cd_nlp_solution;

cardan_status cd_nlp_solve_ipopt(cd_block_nlp* program, const cd_nlp_options* options, cd_nlp_solution* solution,
                                 cardan_report* report);

// Compute the factor of the objective: at most 1, so that, together with IPOPT's own scaling by 100 over the
// largest first derivative, the largest first or second derivative of the objective at the start is 100. First
// derivatives alone are not enough: those of the rate of controls vanish if a guess holds them constant. Returns a
// negative number without memory.
double cd_nlp_objective_scale(cd_block_nlp* program, const double* x);
