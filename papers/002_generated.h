// SPDX-License-Identifier: BSD-3-Clause
// Generated code of the vehicle of paper 002: the complete evaluation from positions and velocities to accelerations,
// with loops.
#pragma once

#include <cardan/generate.h>

enum { PAPER_ROUTINES = 3 };

// Routine of the generated code. Times are minima over many calls; NAN: no compiler is available.
typedef struct paper_routine {
    const char*            form;
    const char*            what;
    cardan_operation_count count;
    double                 us;
} paper_routine;

typedef struct paper_generated {
    paper_routine routine[PAPER_ROUTINES]; // the last one: accelerations of the whole mechanism
    double        compile;                 // [s]
} paper_generated;

// Count and time the routines at q and v, with zero efforts. a (nv) becomes the accelerations of the generated code;
// without a compiler it is unchanged.
cardan_status paper_generated_measure(const cardan_model* m, const double* q, const double* v, int passes,
                                      paper_generated* g, double* a, cardan_report* report);
// Time of the evaluation of the same accelerations by a formulation of the library, from q and v on: minimum over many
// calls [us]. Returns NAN on failure.
double paper_whole_evaluation(const cardan_model* m, int formulation, const double* q, const double* v, int passes,
                              double* a, cardan_report* report);
