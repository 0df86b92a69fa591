// SPDX-License-Identifier: BSD-3-Clause
// Solvers of nonlinear programs. One file sees IPOPT (ipopt.c); another solver takes the same program, whose chain of
// blocks it may use.
#pragma once

#include "optimize/chain.h"

typedef struct cd_solve_wish {
    double       tolerance;
    int          iterations; // at most
    bool         warm;       // multipliers of `solved` are a start too
    bool         condensed;  // points of intervals are eliminated: fewer unknowns, more of them in each row
    bool         near;       // the start is a motion, not a line: bounds push it less
    bool         unheld;     // a control has neither bounds nor a weight in the cost: there may be no least value
    cardan_place place;      // of the task, for sentences
    void*        user;
    bool (*watch)(void* user, int iteration, double objective, double violation); // false: stop; may be NULL
} cd_solve_wish;

// x is the start and then the result; the others are results.
typedef struct cd_solved {
    double *x, *g, *lambda, *x_lower, *x_upper; // (n), (m), (m), multipliers of bounds (n), (n)
    double  objective;
    int     iterations;
} cd_solved;

cardan_status cd_solve_ipopt(cd_chain* program, const cd_solve_wish* wish, cd_solved* solved, cardan_report* report);

// Factor of the objective: 100 over its steepest slope or curvature at the start, at most 1. Slopes alone would not do:
// the rate of controls has none where a guess holds them constant. What IPOPT does by itself, 100 over the steepest
// slope, is left out. Negative without memory.
double cd_objective_scale(cd_chain* program, const double* x);
