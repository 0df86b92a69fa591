// SPDX-License-Identifier: BSD-3-Clause
// Sequential regularization in time. The multipliers mu of constraints D v = 0, d = 0 are functions of time, found by
// repeating an explicit integration over a window of some steps:
//
//   mu(s) = mu(s-1) + (D v(s) + alpha d(s)) / epsilon,       s = 1, 2, ...
//
// at every stage of every step, where v(s) and d(s) are those of the motion under mu(s) itself. The first iteration is
// the penalty method; every further one divides what is left of the constraints by about epsilon. The next window
// begins with the last multiplier, held. What moves is the caller's business. Paper 001 (Ascher, Lin),
// equations 3.6, 3.10, 3.12; docs/theory/regularized.md.
#pragma once

#include <cardan/status.h>
#include <stdbool.h>

enum { CD_WINDOW_ITERATIONS_MAX = 20 }; // most

typedef struct cd_multiplier_window {
    int     nmultiplier, stages; // multipliers, and stages of a step
    int     steps;               // of this window
    int     max_iterations;      // iterations
    bool    fixed_iterations;    // take them all; else until `tolerance`, or until one does not halve what is left
    double  tolerance;           // of the largest d
    double* mu;                  // (steps x stages x nmu) multipliers at the stages

    void* context;
    void (*begin_iteration)(void* who); // back to the state at which the window begins
    // Step k, which takes mu(s-1) at its stages and leaves mu(s) there; *left: largest |d| at its end.
    cardan_status (*step)(void* who, int k, double* mu, double* left);

    // what came of it
    int    iterations;
    double violation[CD_WINDOW_ITERATIONS_MAX]; // largest |d| in the window, by iteration
} cd_multiplier_window;

// All iterations of one window. On entry mu holds the guess.
cardan_status cd_multiplier_window_run(cd_multiplier_window* w);
// The guess of the next window: the last multiplier of the last one, `steps` steps ahead.
void cd_multiplier_window_extrapolate(cd_multiplier_window* w, int last_steps);

// The largest h Lam/epsilon for which windows of so many steps do not grow, 2 at most; m (steps x stages) is scratch
// (window_stability.c).
double cd_window_stability_bound(int steps, int stages, int iterations, double* m);

// The largest eigenvalue of a symmetric operator with none below zero: x (n) -> y (n). By Lanczos; `basis` has
// (CD_LANCZOS_STEPS_MAX + 1) n numbers.
enum { CD_LANCZOS_STEPS_MAX = 24 };
typedef cardan_status (*cd_linear_operator)(void* who, const double* x, double* y);
cardan_status cd_largest_eigenvalue(int n, cd_linear_operator apply, void* context, double* basis, double* largest);
