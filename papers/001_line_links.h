// SPDX-License-Identifier: BSD-3-Clause
// Chains and nets of line links in the redundant coordinates of paper 001 (Ascher, Lin), section 4: link j is a uniform
// line from its father joint f(j) to joint j, in d = 2 or 3 dimensions, with
//
//   p(j) = (x(j), r(j))       x the joint, r the way from the father joint
//   length       (r.r - l^2)/2 = 0
//   connection   x(j) - r(j) - x(f(j)) = 0
//   closure      x(k) - x(j) = 0             d rows D v = 0 for each pair of joints that are one
//
// Joints are numbered 0 to n - 1, fathers before sons; those on ground have father -1 and hang from an anchor.
// AlgI solves the tree exactly at every stage and regularizes closures; AlgII regularizes all rows and inverts M alone.
#pragma once

#include "core/memory.h"
#include "simulation/integrators/regularized/multiplier_window.h"

typedef struct cd_line_links {
    int     d, n, nclosure;
    int*    parent;        // (n)
    double *mass, *length; // (n)
    double* anchor;        // (n x d) where links on ground begin
    int (*closure)[2];     // (nclosure) k, j
    double*  start;        // (n x d) r at the start, at rest
    double   gravity;      // downward: along -y in the plane, -z in space
    cd_arena arena;
} cd_line_links;

// m unit squares in a row, hanging from joint 0, its first side down from the fixed joint. n = 3 m + 1.
bool cd_line_squares(int m, cd_line_links* c);
// w columns and l rows of unit links hung from w fixed joints in a row, its plane turned by `angle` from the vertical.
// n = (2 w - 1) l.
bool cd_line_net(int w, int l, double angle, cd_line_links* c);
void cd_line_release(cd_line_links* c);

// State: x, r, and their rates, (n x d) each. Accelerations of the joints under forces (n x d) on them, tree
// constraints kept:
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
    int    window;           // steps; 0: the whole time
    int    max_iterations;   // most
    bool   fixed_iterations; // all of them, whatever comes of it
    double tolerance;
} cd_line_settings;

typedef struct cd_line_result {
    cardan_status status;
    double        t;                  // reached
    double        lambda_max;         // largest eigenvalue of D P D', or of all rows on M^-1, at the start
    double        epsilon_stable_min; // epsilon at which it becomes unstable there: step lam / 2
    int           iterations;         // of the last window
    double        violation[CD_WINDOW_ITERATIONS_MAX]; // largest |d| of any window, by iteration
    double        closure_violation, length_violation,
        connection_violation; // at the end: largest |d|, |r.r - l^2|, and gap of a connection
} cd_line_result;

// From `state` (4 n d), which becomes the state at time t, in steps from 0. With epsilon below `least` nothing is run:
// CARDAN_BAD_USAGE, unless `dare`.
cd_line_result cd_line_run(const cd_line_links* c, const cd_line_settings* s, double t, bool allow_unstable,
                           double* state);
// The state at rest at the start.
void cd_line_start(const cd_line_links* c, double* state);
