// SPDX-License-Identifier: BSD-3-Clause
// Discontinuous formulas (sign, comparisons) that the motion does not leave: dry friction by sign(v) drives v to zero
// from both sides. No solution exists there that a step could follow; adaptive methods make ever shorter steps,
// fixed-step methods alternate between both sides. Both are reported with the formula, its line, and the time.
//
// The monitor evaluates the ends of steps in windows of many steps: how often a switching function changes its side,
// and how far the window advanced in time. Motions that cross discontinuities, however often, advance and are not
// reported.
#pragma once

#include "expression/formula_discontinuity.h"
#include "simulation/integrators/integrator.h"

typedef struct cd_switching_function {
    cd_formula_discontinuity discontinuity;
    int                      force, state;     // owner of the formula; the other is CARDAN_NONE
    double                   value;            // at the end of the last step
    double                   distance_max;     // running maximum of |above - below|
    double                   distance;         // at the end of the last step
    long                     nchange;          // in this window
    bool                     chattering;       // changed in at least a quarter of the steps of some window
    double                   chattering_since; // [s]
} cd_switching_function;

typedef struct cd_chattering_monitor {
    int                    count;
    cd_switching_function* function; // (count)
    cd_tape*               tape;
    double *               work, *value;
    long                   window_steps;  // in this window
    double                 window_start;  // [s]
    bool                   has_values;    // values of the last step are known
    bool                   out_of_memory; // the monitor is disabled
    bool                   is_open;       // the functions are collected
} cd_chattering_monitor;

// Collect the switching functions of the model's forces and states; without any, the check returns at once.
bool cd_chattering_monitor_open(cd_chattering_monitor* c, const cardan_model* m);
// Forget the values of earlier steps.
void cd_chattering_monitor_reset(cd_chattering_monitor* c);
void cd_chattering_monitor_close(cd_chattering_monitor* c);

// Check the end of a step; the data are at its state. Returns CARDAN_STEP_TOO_SMALL if an adaptive method does not
// advance.
cardan_status cd_chattering_monitor_check(cd_chattering_monitor* c, cd_ode_system* system, bool adaptive, double t,
                                          cardan_report* report);
// Note chattering where a run failed.
void cd_note_chattering(cd_chattering_monitor* c, const cd_ode_system* system, cardan_report* report);
// Warn about chattering of a fixed-step method.
void cd_warn_chattering(const cd_chattering_monitor* c, const cd_ode_system* system, cardan_report* report);
