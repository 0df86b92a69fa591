// SPDX-License-Identifier: BSD-3-Clause
// Forces that jump inside of a step, for methods whose error per time is held.
//
// A step of length h over a jump J of accelerations errs in velocity by no more than h J, and nothing less can be said
// of it: the estimate, divided by the part of the run that h is, does not fall with h. A jump is recognised where a
// step is refused and one within it, eight times as short, still sees half of the change at least, though its equations
// were solved. Then the place is halved until h J is a small part of a unit, and the step over the rest of it is taken:
// its error is bounded whatever the change was. Behind it the method begins anew, with nothing of the past.
//
// Forces that jump against the motion, back and forth, leave no way behind a jump: nothing is taken after many such.
#pragma once

#include <stdbool.h>

typedef struct cd_force_discontinuity {
    double interval_end; // [s] of the shortest step that was refused; -inf: none
    double change_max;   // largest change that they saw, in units per second
    double first_h;      // [s] length of the first one
    double min_step;     // [s] shortest step that time can count
    bool   detected;     // it is a jump
    double last_t;       // [s] where the last one was passed
    int    nclustered;   // jumps that followed at once on others
} cd_force_discontinuity;

void cd_force_discontinuity_reset(cd_force_discontinuity* discontinuity, double min_step);
// The length of a step from t that would be h long.
double cd_force_discontinuity_limit_step(const cd_force_discontinuity* discontinuity, double t, double h);
// A step from t was solved and refused; accelerations changed by `size`. True: it may be taken as one over the jump.
bool cd_force_discontinuity_step_rejected(cd_force_discontinuity* discontinuity, double t, double h, double change);
// A step from t was taken. True: the method begins anew behind it.
bool cd_force_discontinuity_step_accepted(cd_force_discontinuity* discontinuity, double t, double h, double change);
