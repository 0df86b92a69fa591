// SPDX-License-Identifier: BSD-3-Clause
// Jumps of formulas that time alone decides, as switches and pulses have. A method that chooses its steps passes over
// what lies between its stages and does not know; so its steps end at such jumps, and it begins anew behind them.
//
// They are looked for ahead, at times some thousandths of the run apart; pulses that are shorter may be missed.
#pragma once

#include "expression/graph.h"
#include "motion/integrator.h"

typedef struct cd_jump_times {
    int      count;
    bool*    wraps; // (count) mod(x, y): it jumps where x/y passes a whole number
    cd_tape* tape;
    double * input, *work, *value;
    double * side, *last;   // (count) behind `since`; at the time looked at
    int      time_signal;   // of the inputs
    double   end, spacing;  // [s] of the run; of looks
    double   since;         // [s] looked for from here on
    double   before, after; // [s] neighbours in time, between which the next one is; infinite: there is none
} cd_jump_times;

// None where memory is short.
void cd_jump_times_open(cd_jump_times* j, cardan_data* d, double start, double end, double output);
void cd_jump_times_close(cd_jump_times* j);
// Where a step from t ends at the latest.
double cd_jump_times_limit(cd_jump_times* j, double t);
// Whether a step that ends at t ends at a jump; t is behind it then. least [s]: of steps.
bool cd_jump_times_passed(cd_jump_times* j, double least, double* t);
