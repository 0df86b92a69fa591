// SPDX-License-Identifier: BSD-3-Clause
// Discontinuities of forces inside a step, for methods that control the error per unit time.
//
// A step of length h across a jump J of accelerations has a velocity error of at most h J, and no smaller bound
// exists: the estimate divided by the error budget, which is proportional to h, does not decrease with h. A jump is
// detected where a step is rejected and a step inside it, eight times shorter, still shows at least half of the
// change although its equations were solved. The interval is then halved until h J is a small fraction of the error
// scale, and the step across it is accepted: its error is bounded for any change. The method restarts behind it
// without history.
//
// Forces that jump against the motion, back and forth (chattering), admit no continuation behind a jump: after many
// successive jumps no further one is accepted.
#pragma once

#include <stdbool.h>

typedef struct cd_force_discontinuity {
    double interval_end; // [s] end of the shortest rejected step; -inf: none
    double change_max;   // largest change seen in them, in error scales per second
    double first_h;      // [s] length of the first rejected step
    double min_step;     // [s] shortest step that the time resolves
    bool   detected;     // a jump is detected
    double last_t;       // [s] time of the last jump crossed
    int    nclustered;   // successive jumps directly after one another
} cd_force_discontinuity;

void cd_force_discontinuity_reset(cd_force_discontinuity* discontinuity, double min_step);
// Length of the step from t, at most h.
double cd_force_discontinuity_limit_step(const cd_force_discontinuity* discontinuity, double t, double h);
// Record that a step from t was solved and rejected; accelerations changed by `change`. Returns true if it may be
// accepted as the step across the jump.
bool cd_force_discontinuity_step_rejected(cd_force_discontinuity* discontinuity, double t, double h, double change);
// Record that a step from t was accepted. Returns true if the method must restart behind it.
bool cd_force_discontinuity_step_accepted(cd_force_discontinuity* discontinuity, double t, double h, double change);
