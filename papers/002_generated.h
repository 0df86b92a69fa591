// SPDX-License-Identifier: BSD-3-Clause
// The vehicle of paper 002 by generated code: everything from positions and velocities to accelerations, loops closed.
#pragma once

#include <cardan/generate.h>

enum { PAPER_ROUTINES = 3 };

// Routines of the generated code, and the library's evaluation of the same. Times are least of many; NAN: there is no
// compiler.
typedef struct paper_routine {
    const char*            form;
    const char*            what;
    cardan_operation_count tally;
    double                 us;
} paper_routine;

typedef struct paper_generated {
    paper_routine routine[PAPER_ROUTINES]; // the last: accelerations of the whole
    double        compile;                 // [s]
} paper_generated;

// At q and v, at rest elsewhere; a (nv) becomes what the code computes, or is left as it is where there is no compiler.
cardan_status paper_generated_measure(const cardan_model* m, const double* q, const double* v, int passes,
                                      paper_generated* g, double* a, cardan_report* report);
// The library's evaluation of the same accelerations from q and v on, by a formulation: least of many [us], NAN where
// it fails.
double paper_whole_evaluation(const cardan_model* m, int formulation, const double* q, const double* v, int passes,
                              double* a, cardan_report* report);
