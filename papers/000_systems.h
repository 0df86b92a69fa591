// SPDX-License-Identifier: BSD-3-Clause
// Measurement of one mechanism of Table 2 of paper 000 (Tasora): size, operations and time of a whole step.
#pragma once

#include <cardan/cardan.h>

typedef struct paper_system {
    const char* title;
    const char* folder; // model folder in models/; NULL: model family
    const char* family; // of `cardan make`
    int         n;      // size of the member of the family
    double      paper;  // [s] printed time of a step; 0: none
} paper_system;

// Measured values; NAN: not measured.
typedef struct paper_result {
    int    bodies, nv, rows;
    long   sparse_mul, executed_mul; // of one factorization
    double evaluation, step, dense;  // [us] accelerations at a new state; whole step by lagrange, by dense
    double max_violation;            // [m, rad] largest constraint violation after the steps
    char   note[200];
} paper_result;

typedef struct paper_effort {
    double us;               // approximate duration of one measurement [us]
    int    dense_bodies_max; // largest number of bodies for which dense is measured
    int    step_bodies_max;  // the same for whole steps by dense; above, one solve is timed, a lower bound of a step
    int    count_bodies_max; // the same for counted operations
} paper_effort;

paper_result paper_measure(const paper_system* s, const char* models, paper_effort effort);
