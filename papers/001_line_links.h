// SPDX-License-Identifier: BSD-3-Clause
// Chains and nets of line links in the redundant coordinates of paper 001 (Ascher, Lin), section 4: link j is a uniform
// line from its parent joint f(j) to joint j, in d = 2 or 3 dimensions, with
//
//   p(j) = (x(j), r(j))       x the joint, r the way from the father joint
//   length       (r.r - l^2)/2 = 0
//   connection   x(j) - r(j) - x(f(j)) = 0
//   closure      x(k) - x(j) = 0             d rows D v = 0 for each pair of joints that are one
//
// Joints are numbered 0 to n - 1, parents before children; joints of links on ground have parent -1 and an anchor. AlgI
// solves the tree exactly at every stage and regularizes closures; AlgII regularizes all rows and inverts M only.
#pragma once

#include "core/memory.h"
#include "simulation/integrators/regularized/multiplier_window.h"

typedef struct cd_line_links {
    int     d, n, nclosure;
    int*    parent;        // (n)
    double *mass, *length; // (n)
    double* anchor;        // (n x d) start points of links on ground
    int (*closure)[2];     // (nclosure) k, j
    double*  start;        // (n x d) r at the start, at standstill
    double   gravity;      // downward: along -y in the plane, -z in space
    cd_arena arena;
} cd_line_links;

// m unit squares in a row, suspended at joint 0, first side down from the fixed joint. n = 3 m + 1.
bool cd_line_squares(int m, cd_line_links* c);
// w columns and l rows of unit links suspended from w fixed joints in a row, in a plane rotated by `angle` from the
// vertical. n = (2 w - 1) l.
bool cd_line_net(int w, int l, double angle, cd_line_links* c);
void cd_line_release(cd_line_links* c);

// State: x, r, and their rates, (n x d) each. Accelerations of the joints under forces (n x d) on them, with the tree
// constraints:
//   r.rdd = -rd.rd - b1 r.rd - b2 (r.r - l^2)/2
// `work`: (n x CD_LINE_WORK) numbers.
enum { CD_LINE_WORK = 38 };
void cd_line_tree_accelerate(const cd_line_links* c, const double* state, const double* force, double b1, double b2,
                             double* work, double* a);

typedef struct cd_line_settings {
    bool   all_rows; // AlgII
    bool   midpoint; // else explicit Euler
    double step, epsilon;
    double alpha, b1, b2;
    int    window;           // steps; 0: the total time
    int    max_iterations;   // upper limit
    bool   fixed_iterations; // execute all iterations regardless of convergence
    double tolerance;
} cd_line_settings;

typedef struct cd_line_result {
    cardan_status status;
    double        t;                  // time reached
    double        lambda_max;         // largest eigenvalue of D P D', or of all rows on M^-1, at the start
    double        epsilon_stable_min; // stability limit of epsilon there: step lambda_max / 2
    int           iterations;         // of the last window
    double        violation[CD_WINDOW_ITERATIONS_MAX]; // largest |d| in any window, by iteration
    double        closure_violation, length_violation,
        connection_violation; // at the end: largest |d|, |r.r - l^2|, and violation of a connection
} cd_line_result;

// Integrate from `state` (4 n d) at time 0 to time t; `state` becomes the state at t. Returns CARDAN_BAD_USAGE without
// a run if epsilon is below the stability bound, unless `allow_unstable`.
cd_line_result cd_line_run(const cd_line_links* c, const cd_line_settings* s, double t, bool allow_unstable,
                           double* state);
// The start state at standstill.
void cd_line_start(const cd_line_links* c, double* state);
