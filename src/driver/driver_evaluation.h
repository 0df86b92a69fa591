// SPDX-License-Identifier: BSD-3-Clause
// Evaluation of driver functions, and their breakpoints inside a window (driver_evaluation.c).
#pragma once

#include "driver/driver_breakpoints.h"

enum { CD_DRIVER_BISECTIONS = 60 };
// Time; value, rate and acceleration.
typedef struct cd_driver_evaluation {
    double t, x[3];
} cd_driver_evaluation;

// Evaluate all driver functions at a time; get one of them from the last evaluation; evaluate and get one; evaluate
// and get all (ndriver_function).
void                 cd_evaluate_drivers(cardan_data* d, double t);
cd_driver_evaluation cd_current_driver_evaluation(const cardan_data* d, int driver, double t);
cd_driver_evaluation cd_evaluate_driver(cardan_data* d, int driver, double t);
void                 cd_evaluate_all_drivers(cardan_data* d, double t, cd_driver_evaluation* x);
// First of value, rate and acceleration that is not finite, or 3.
int cd_first_not_finite(const cd_driver_evaluation* x);
// Find the first breakpoint of value (0) or rate (1) in a window from the evaluations (ndriver_function) at its ends.
// External driver values are not checked.
bool cd_find_breakpoint_in_window(cardan_data* d, int order, const cd_driver_evaluation* a,
                                  const cd_driver_evaluation* b, cd_driver_breakpoint* first);

// Constraint and row of a driver function; unit of its value, rate or acceleration.
const cd_constraint* cd_constraint_of_driver(const cardan_data* d, int driver, int* row);
const char*          cd_driver_unit(const cd_constraint* c, int row, int order);
