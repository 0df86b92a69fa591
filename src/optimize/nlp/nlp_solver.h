// SPDX-License-Identifier: BSD-3-Clause
// Solvers of nonlinear programs. One file sees IPOPT (ipopt.c); another solver takes the same program, whose chain of
// blocks it may use.
#pragma once

#include "optimize/nlp/block_nlp.h"

typedef struct cd_nlp_options {
    double tolerance;
    int    max_iterations;         // at most
    bool   warm_start;             // multipliers of `solved` are a start too
    bool   condensed;              // points of intervals are eliminated: fewer unknowns, more of them in each row
    bool   starts_from_trajectory; // the start is a motion, not a line: bounds push it less
    bool   may_be_unbounded;       // a control has neither bounds nor a weight in the cost: there may be no least value
    cardan_location location;      // of the task, for sentences
    void*           user;
    bool (*iteration_callback)(void* user, int iteration, double objective,
                               double violation); // false: stop; may be NULL
} cd_nlp_options;

// x is the start and then the result; the others are results.
typedef struct cd_nlp_solution {
    double *x, *g, *lambda, *lambda_lower, *lambda_upper; // (n), (m), (m), multipliers of bounds (n), (n)
    double  objective;
    int     iterations;
} cd_nlp_solution;

cardan_status cd_nlp_solve_ipopt(cd_block_nlp* program, const cd_nlp_options* options, cd_nlp_solution* solution,
                                 cardan_report* report);

// Factor of the objective: 100 over its steepest slope or curvature at the start, at most 1. Slopes alone would not do:
// the rate of controls has none where a guess holds them constant. What IPOPT does by itself, 100 over the steepest
// slope, is left out. Negative without memory.
double cd_nlp_objective_scale(cd_block_nlp* program, const double* x);
