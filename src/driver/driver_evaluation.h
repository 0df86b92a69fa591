// SPDX-License-Identifier: BSD-3-Clause
// Laws of motion at times, and where they break inside a window (driver_evaluation.c).
#pragma once

#include "driver/driver_breakpoints.h"

enum { CD_DRIVER_BISECTIONS = 60 };
static const double cd_driver_jump_roundoff = 1e-9; // rad or m, and its part of the value: jumps below are rounding

// Value, rate and acceleration.
typedef struct cd_driver_evaluation {
    double t, x[3];
} cd_driver_evaluation;

// All laws at a time; one of them, there and anywhere; all (nmotion).
void                 cd_evaluate_drivers(cardan_data* d, double t);
cd_driver_evaluation cd_current_driver_evaluation(const cardan_data* d, int driver, double t);
cd_driver_evaluation cd_evaluate_driver(cardan_data* d, int driver, double t);
void                 cd_evaluate_all_drivers(cardan_data* d, double t, cd_driver_evaluation* x);
// First of value, rate and acceleration that is no finite number, or 3.
int cd_first_not_finite(const cd_driver_evaluation* x);
// The first break of value (0) or rate (1) in a window, by the moments (nmotion) at its ends. Laws that others give are
// theirs.
bool cd_find_breakpoint_in_window(cardan_data* d, int order, const cd_driver_evaluation* a,
                                  const cd_driver_evaluation* b, cd_driver_breakpoint* first);

// Whose law it is, and which row of it; units of a value, rate or acceleration.
const cd_constraint* cd_constraint_of_driver(const cardan_data* d, int driver, int* row);
const char*          cd_driver_unit(const cd_constraint* c, int row, int order);
