// SPDX-License-Identifier: BSD-3-Clause
// Events: limits of joint coordinates, watched both ways, corners of curves, the stop condition, and the moment a stop
// would begin to pull. Each is a function g of the state; where g passes from not positive to positive, or back, the
// time is located inside the step. Rounding must not count as passing: a limit is passed when g has left a band about
// zero; the time is where g was 0.
//
// The force of a stop jumps where it is touched (its damper) and has a kink where it lets go. Within a step every stop
// is held as it was at its beginning, also for stages and iterations beyond the event: the equation stays smooth, the
// step up to the event keeps the order of the method, and the step after begins with the new side, whatever rounding
// says.
#pragma once

#include "dynamics/data.h"
#include "motion/corners.h"
#include "motion/integrator.h"

typedef enum cd_watch_kind {
    CD_WATCH_LIMIT,     // g = q - bound (upper) or bound - q (lower)
    CD_WATCH_PRESS,     // g + (c/k) g': the stop presses; stands behind its limit and counts only beyond it
    CD_WATCH_CORNER,    // how far a point is beyond a corner of its curve
    CD_WATCH_CONDITION, // the stop condition
} cd_watch_kind;

typedef struct cd_watch {
    cd_watch_kind kind;
    int           law;               // of the model; CORNER: which of the corners' watches
    int           joint, coordinate; // CARDAN_NONE: the stop condition
    double        bound;
    bool          upper;
    bool          stiff;                // a stop acts there: forces are not smooth, the integrator begins again
    double        lag;                  // c/k [s]
    double        band;                 // a joint resting at its limit stays on its side while |g| is below
    bool          out;                  // side: g > 0
    double        g_from, g_to;         // at both ends of the piece looked at
    double        slope_from, slope_to; // g' there, of limits
} cd_watch;

typedef struct cd_events {
    cd_system*           system;
    const cd_integrator* integrator;
    void*                work;
    cardan_expression    stop; // or CARDAN_NONE
    int                  count;
    cd_watch*            watch; // (count) the stop condition last, if there is one
    cd_stop*             held;  // (nlaw) what the stops do in this step
    cd_corners           corners;
    cd_point             x; // the state at the event found
} cd_events;

void cd_events_layout(cd_events* events, cd_arena* arena);
// Fills the watches from the description and `stop`.
void cd_events_collect(cd_events* events);

// Take the sides at x as they are, and hold the stops so. True if the stop condition holds already.
bool cd_events_settle(cd_events* events, const cd_point* x);

// First event in (from, end->t], end being the end of the last step and `from` where the sides were last settled or an
// event was found. *found is its watch, or NULL; events->x the state there, just past the crossing, its side changed.
cardan_status cd_events_next(cd_events* events, double from, const cd_point* end, cd_watch** found);

// The stops from the event on: as the sides are now.
void cd_events_hold(cd_events* events);

// Over the corner that was found at events->x, and over those that others are at: the points on their next sides, their
// watches passing.
cardan_status cd_events_turn(cd_events* events, const cd_watch* found, cardan_report* report);
