// SPDX-License-Identifier: BSD-3-Clause
// One mechanism of Table 2 of Tasora's paper, measured: its size, operations, and the time of a whole step.
#pragma once

#include <cardan/cardan.h>

typedef struct paper_system {
    const char* title;
    const char* folder; // of a model below models/, or NULL:
    const char* family; // of `cardan make`
    int         n;      // its size
    double      paper;  // [s] of a step as the paper prints it; 0: none
} paper_system;

// What was measured; NAN where it could not be.
typedef struct paper_result {
    int    bodies, nv, rows;
    long   sparse_mul, executed_mul; // of one factorization
    double evaluation, step, dense;  // [us] accelerations at a new state; a whole step by lagrange, by dense
    double closure;                  // [m, rad] largest gap after the steps
    char   note[200];
} paper_result;

typedef struct paper_effort {
    double us;         // how long one measurement lasts, about
    int    dense_most; // bodies, up to which dense is measured too
    int    step_most;  // bodies, up to which it makes steps; beyond, one solve is timed, which a step needs at least
    int    count_most; // bodies, up to which operations are counted
} paper_effort;

paper_result paper_measure(const paper_system* s, const char* models, paper_effort effort);
