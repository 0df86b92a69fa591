// SPDX-License-Identifier: BSD-3-Clause
// Formulas that jump (sign, comparisons) and whose jump the motion does not leave again: dry friction by sign(v) drives
// v to zero from both sides. There the equations have no solution that a step could follow; methods that choose their
// steps make them ever shorter, and others step to and fro. Both are told, with the formula, its line, and the time.
//
// Looked at are the ends of steps, in windows of many: how often a jump changes its side there, and how far the window
// has come. What passes a jump, however often, gets on and is left alone.
#pragma once

#include "expression/jumps.h"
#include "motion/integrator.h"

typedef struct cd_jumping {
    cd_jump jump;
    int     force, state;   // whose formula it is; the other is CARDAN_NONE
    double  side;           // value at the end of the last step
    double  largest;        // of |above - below| so far
    double  apart;          // that at the end of the last step
    long    changes;        // in this window
    bool    restless;       // changed in every second step of some window
    double  restless_since; // [s]
} cd_jumping;

typedef struct cd_chatter {
    int         count;
    cd_jumping* at; // (count)
    cd_tape*    tape;
    double *    work, *value;
    long        steps;   // of this window
    double      since;   // [s] its beginning
    bool        begun;   // sides are known
    bool        unknown; // there was no memory: nothing is looked at
} cd_chatter;

// The jumps of the model's forces and states; none: nothing is done in steps.
bool cd_chatter_open(cd_chatter* c, const cardan_model* m);
void cd_chatter_close(cd_chatter* c);

// The end of a step, the data being at its state. CARDAN_STEP_TOO_SMALL where an adaptive method does not get on.
cardan_status cd_chatter_look(cd_chatter* c, cd_system* system, bool adaptive, double t, cardan_report* report);
// A note, where a run failed at a jump.
void cd_chatter_note(cd_chatter* c, const cd_system* system, cardan_report* report);
// A warning, where steps went to and fro.
void cd_chatter_warn(const cd_chatter* c, const cd_system* system, cardan_report* report);
