// SPDX-License-Identifier: BSD-3-Clause
// Events: limits of joint coordinates, watched both ways, and the stop condition. Each is a function g of the state;
// where g passes from not positive to positive, or back, the time is located inside the step.
// Rounding must not count as passing: a limit is passed when g has left a band about zero; the time is where g was 0.
#pragma once

#include "motion/integrator.h"

typedef struct cd_watch {
    int    joint, coordinate; // CARDAN_NONE: the stop condition
    int    q;                 // index of the coordinate, or of the quaternion it belongs to
    int    component;         // of the rotation vector; CARDAN_NONE: a plain coordinate
    double bound;             // g = q - bound (upper) or bound - q (lower)
    bool   upper;
    bool   stiff;        // a stop acts there: forces are not smooth, the integrator begins again
    double band;         // a joint resting at its limit stays on its side while |g| is below
    bool   out;          // side: g > 0
    double g_from, g_to; // at both ends of the piece looked at
} cd_watch;

typedef struct cd_events {
    cd_system*           system;
    const cd_integrator* integrator;
    void*                work;
    cardan_expression    stop; // or CARDAN_NONE
    int                  count;
    cd_watch*            watch; // (count) the stop condition last, if there is one
    cd_point             x;     // the state at the event found
} cd_events;

void cd_events_layout(cd_events* events, cd_arena* arena);
// Fills the watches from the description and `stop`.
void cd_events_collect(cd_events* events);

// Take the sides at x as they are. True if the stop condition holds already.
bool cd_events_settle(cd_events* events, const cd_point* x);

// First event in (from, end->t], end being the end of the last step and `from` where the sides were last settled or an
// event was found. *found is its watch, or NULL; events->x the state there, just past the crossing, its side changed.
cardan_status cd_events_next(cd_events* events, double from, const cd_point* end, cd_watch** found);
