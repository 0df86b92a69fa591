// SPDX-License-Identifier: BSD-3-Clause
// The vehicle of paper 002 by generated code: complete evaluation of accelerations from positions and velocities with
// closed loops.
#pragma once

#include <cardan/generate.h>

enum { PAPER_ROUTINES = 3 };

// Routines of the generated code, and the evaluation of the same by the library. Times are the minimum of many; NAN: no
// compiler.
typedef struct paper_routine {
    const char*            form;
    const char*            what;
    cardan_operation_count tally;
    double                 us;
} paper_routine;

typedef struct paper_generated {
    paper_routine routine[PAPER_ROUTINES]; // the last one: complete accelerations
    double        compile;                 // [s]
} paper_generated;

// Evaluate at q and v, other inputs zero. a (nv) receives the result of the code and is unchanged without a compiler.
cardan_status paper_generated_measure(const cardan_model* m, const double* q, const double* v, int passes,
                                      paper_generated* g, double* a, cardan_report* report);
// Evaluation of the same accelerations by the library from q and v with a formulation: minimum of many [us]; NAN on
// failure.
double paper_whole_evaluation(const cardan_model* m, int formulation, const double* q, const double* v, int passes,
                              double* a, cardan_report* report);
