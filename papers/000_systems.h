// SPDX-License-Identifier: BSD-3-Clause
// One mechanism of Table 2 of Tasora's paper with its measurements: size, operations, and time of a complete step.
#pragma once

#include <cardan/cardan.h>

typedef struct paper_system {
    const char* title;
    const char* folder; // of a model below models/, or NULL:
    const char* family; // of `cardan make`
    int         n;      // its size
    double      paper;  // [s] time of a step in the paper; 0: none
} paper_system;

// Measurements; NAN if not available.
typedef struct paper_result {
    int    bodies, nv, rows;
    long   sparse_mul, executed_mul; // of one factorization
    double evaluation, step, dense;  // [us] accelerations at a new state; a complete step with lagrange and with dense
    double closure;                  // [m, rad] largest constraint violation after the steps
    char   note[200];
} paper_result;

typedef struct paper_effort {
    double us;         // approximate duration of one measurement [us]
    int    dense_most; // largest number of bodies for which dense is measured
    // largest number of bodies for steps with dense; above, one solve is timed as lower bound of a step
    int step_most;
    int count_most; // largest number of bodies for which operations are counted
} paper_effort;

paper_result paper_measure(const paper_system* s, const char* models, paper_effort effort);
