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
#include "simulation/events/corner_events.h"
#include "simulation/integrators/integrator.h"

typedef enum cd_event_function_kind {
    CD_EVENT_FUNCTION_LIMIT,       // g = q - bound (upper) or bound - q (lower)
    CD_EVENT_FUNCTION_STOP_ACTIVE, // g + (c/k) g': the stop presses; stands behind its limit and counts only beyond it
    CD_EVENT_FUNCTION_CORNER,      // how far a point is beyond a corner of its curve
    CD_EVENT_FUNCTION_STOP_CONDITION, // the stop condition
} cd_event_function_kind;

typedef struct cd_event_function {
    cd_event_function_kind kind;
    int                    element;     // of the model; CORNER: which of the corners' watches
    int                    joint, axis; // CARDAN_NONE: the stop condition
    double                 bound;
    bool                   is_upper;
    bool                   needs_restart;  // a stop acts there: forces are not smooth, the integrator begins again
    double                 damping_time;   // c/k [s]
    double                 hysteresis;     // a joint resting at its limit stays on its side while |g| is below
    bool                   is_positive;    // side: g > 0
    double                 g_start, g_end; // at both ends of the piece looked at
    double                 rate_start, rate_end; // g' there, of limits
} cd_event_function;

typedef struct cd_events {
    cd_ode_system*       system;
    const cd_integrator* integrator;
    void*                work;
    cardan_expression    stop_condition; // or CARDAN_NONE
    int                  count;
    cd_event_function*   function;     // (count) the stop condition last, if there is one
    cd_stop*             frozen_stops; // (nlaw) what the stops do in this step
    cd_corners           corners;
    cd_ode_state         x; // the state at the event found
} cd_events;

void cd_events_layout(cd_events* events, cd_arena* arena);
// Fills the watches from the description and `stop`.
void cd_events_collect(cd_events* events);

// Take the sides at x as they are, and hold the stops so. True if the stop condition holds already.
bool cd_events_reset(cd_events* events, const cd_ode_state* x);

// First event in (from, end->t], end being the end of the last step and `from` where the sides were last settled or an
// event was found. *found is its watch, or NULL; events->x the state there, just past the crossing, its side changed.
cardan_status cd_events_find_next(cd_events* events, double from, const cd_ode_state* end, cd_event_function** found);

// The stops from the event on: as the sides are now.
void cd_events_freeze_stops(cd_events* events);

// Over the corner that was found at events->x, and over those that others are at: the points on their next sides, their
// watches passing.
cardan_status cd_events_cross_corners(cd_events* events, const cd_event_function* found, cardan_report* report);
