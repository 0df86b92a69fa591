// SPDX-License-Identifier: BSD-3-Clause
// Formulas that jump (sign, comparisons) and whose jump the motion does not leave again: dry friction by sign(v) drives
// v to zero from both sides. There the equations have no solution that a step could follow; methods that choose their
// steps make them ever shorter, and others step to and fro. Both are told, with the formula, its line, and the time.
//
// Looked at are the ends of steps, in windows of many: how often a jump changes its side there, and how far the window
// has come. What passes a jump, however often, gets on and is left alone.
#pragma once

#include "expression/formula_discontinuity.h"
#include "simulation/integrators/integrator.h"

typedef struct cd_switching_function {
    cd_formula_discontinuity discontinuity;
    int                      force, state;     // whose formula it is; the other is CARDAN_NONE
    double                   value;            // value at the end of the last step
    double                   distance_max;     // of |above - below| so far
    double                   distance;         // that at the end of the last step
    long                     nchange;          // in this window
    bool                     chattering;       // changed in every second step of some window
    double                   chattering_since; // [s]
} cd_switching_function;

typedef struct cd_chattering_monitor {
    int                    count;
    cd_switching_function* function; // (count)
    cd_tape*               tape;
    double *               work, *value;
    long                   window_steps;  // of this window
    double                 window_start;  // [s] its beginning
    bool                   has_values;    // sides are known
    bool                   out_of_memory; // there was no memory: nothing is looked at
} cd_chattering_monitor;

// The jumps of the model's forces and states; none: nothing is done in steps.
bool cd_chattering_monitor_open(cd_chattering_monitor* c, const cardan_model* m);
void cd_chattering_monitor_close(cd_chattering_monitor* c);

// The end of a step, the data being at its state. CARDAN_STEP_TOO_SMALL where an adaptive method does not get on.
cardan_status cd_chattering_monitor_check(cd_chattering_monitor* c, cd_ode_system* system, bool adaptive, double t,
                                          cardan_report* report);
// A note, where a run failed at a jump.
void cd_note_chattering(cd_chattering_monitor* c, const cd_ode_system* system, cardan_report* report);
// A warning, where steps went to and fro.
void cd_warn_chattering(const cd_chattering_monitor* c, const cd_ode_system* system, cardan_report* report);
