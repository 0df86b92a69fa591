// SPDX-License-Identifier: BSD-3-Clause
// Sequential regularization in time. The multipliers mu of the constraints c = 0, cdot = 0 are functions of time,
// found by repeating an explicit integration over a window of some steps:
//
//   mu(s) = mu(s-1) + (cdot(s) + alpha c(s)) / epsilon,       s = 1, 2, ...,     alpha: Baumgarte rate
//
// at every stage of every step, where c(s) and cdot(s) belong to the motion under mu(s) itself. The first iteration is
// the penalty method; every further one multiplies the constraint violation by about epsilon. The next window starts
// with the last multiplier, kept constant. The caller supplies the equations of motion. Paper 001 (Ascher, Lin),
// equations 3.6, 3.10, 3.12; docs/theory/regularized.md.
#pragma once

#include <cardan/status.h>
#include <stdbool.h>

enum { CD_WINDOW_ITERATIONS_MAX = 20 }; // upper bound

typedef struct cd_multiplier_window {
    int     nmultiplier, stages; // number of multipliers, and of stages per step
    int     steps;               // in this window
    int     max_iterations;
    bool    fixed_iterations; // do all iterations; else until `tolerance`, or until one does not halve the violation
    double  tolerance;        // of the largest |c|
    double* mu;               // (steps x stages x nmultiplier) at the stages

    void* context;
    void (*begin_iteration)(void* context); // return to the initial state of the window
    // Step k: reads mu(s-1) at its stages and replaces it by mu(s); *violation: largest |c| at its end.
    cardan_status (*step)(void* context, int k, double* mu, double* violation);

    // results
    int    iterations;
    double violation[CD_WINDOW_ITERATIONS_MAX]; // largest |c| in the window after each iteration
} cd_multiplier_window;

// Do all iterations of one window. On entry mu holds the initial guess.
cardan_status cd_multiplier_window_run(cd_multiplier_window* w);
// Set the initial guess of the next window of `steps` steps: the last multiplier of the last window.
void cd_multiplier_window_extrapolate(cd_multiplier_window* w, int last_steps);

// Largest h lambda_max / epsilon for which windows of `steps` steps do not grow, at most 2; m (steps x stages) is
// scratch (window_stability.c).
double cd_window_stability_bound(int steps, int stages, int iterations, double* m);

// Largest eigenvalue of a positive semidefinite symmetric operator x (n) -> y (n), by Lanczos; `basis` has
// (CD_LANCZOS_STEPS_MAX + 1) n numbers.
enum { CD_LANCZOS_STEPS_MAX = 24 };
typedef cardan_status (*cd_linear_operator)(void* context, const double* x, double* y);
cardan_status cd_largest_eigenvalue(int n, cd_linear_operator apply, void* context, double* basis, double* largest);
