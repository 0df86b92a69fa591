// SPDX-License-Identifier: BSD-3-Clause
// Chains and nets of line links in the redundant coordinates of paper 001 (Ascher, Lin), section 4: link j is a uniform
// line from its parent joint f(j) to joint j, in d = 2 or 3 dimensions, with
//
//   p(j) = (x(j), r(j))       x position of the joint, r vector from the parent joint
//   length       (r.r - l^2)/2 = 0
//   connection   x(j) - r(j) - x(f(j)) = 0
//   closure      x(k) - x(j) = 0             d rows D v = 0 for each pair of coincident joints
//
// Joints are numbered 0 to n - 1, parents before children; links on ground have parent -1 and start at an anchor.
// AlgI solves the tree exactly at every stage and regularizes closures; AlgII regularizes all rows and inverts M alone.
#pragma once

#include "core/memory.h"
#include "simulation/integrators/sequential_regularization/multiplier_window.h"

typedef struct cd_line_links {
    int     d, n, nclosure;
    int*    parent;        // (n)
    double *mass, *length; // (n)
    double* anchor;        // (n x d) start points of links on ground
    int (*closure)[2];     // (nclosure) k, j
    double*  start;        // (n x d) r at the start; velocities are zero
    double   gravity;      // [m/s^2] along -y in the plane, -z in space
    cd_arena arena;
} cd_line_links;

// m unit squares in a row that hang from a fixed joint; link 0 points down from it. n = 3 m + 1. Returns false if out
// of memory.
bool cd_line_squares(int m, cd_line_links* c);
// Net of w columns and l rows of unit links that hang from w fixed joints in a row, its plane rotated by `angle` from
// the vertical. n = (2 w - 1) l. Returns false if out of memory.
bool cd_line_net(int w, int l, double angle, cd_line_links* c);
void cd_line_release(cd_line_links* c);

// Compute the accelerations of the joints under forces (n x d) on them, with the tree constraints
//   r.rdd = -rd.rd - b1 r.rd - b2 (r.r - l^2)/2
// State: x, r and their rates, (n x d) each. `work`: (n x CD_LINE_WORK) numbers.
enum { CD_LINE_WORK = 38 };
void cd_line_tree_accelerate(const cd_line_links* c, const double* state, const double* force, double b1, double b2,
                             double* work, double* a);

typedef struct cd_line_settings {
    bool   all_rows; // AlgII
    bool   midpoint; // else explicit Euler
    double step, epsilon;
    double alpha, b1, b2;
    int    window;           // steps; 0: the whole duration
    int    max_iterations;   // per window
    bool   fixed_iterations; // always max_iterations, without convergence test
    double tolerance;
} cd_line_settings;

typedef struct cd_line_result {
    cardan_status status;
    double        t;                  // final time [s]
    double        lambda_max;         // largest eigenvalue at the start: of D P D' (AlgI), or of all rows with M^-1
    double        epsilon_stable_min; // stability bound of epsilon at the start: step lambda_max / 2
    int           iterations;         // of the last window
    double        violation[CD_WINDOW_ITERATIONS_MAX]; // largest |d| over all windows, by iteration
    double        closure_violation, length_violation,
        connection_violation; // at the end: largest |d|, |r.r - l^2| and |x(j) - r(j) - x(f(j))|
} cd_line_result;

// Integrate from `state` (4 n d) at time 0 to time t; `state` becomes the final state. If epsilon is below
// epsilon_stable_min and not allow_unstable, the status is CARDAN_BAD_USAGE, without a step.
cd_line_result cd_line_run(const cd_line_links* c, const cd_line_settings* s, double t, bool allow_unstable,
                           double* state);
// Set the start state, with zero velocities.
void cd_line_start(const cd_line_links* c, double* state);
