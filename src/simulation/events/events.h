// SPDX-License-Identifier: BSD-3-Clause
// Events: limits of joint coordinates in both directions, corners of curves, changes of rigid contacts, the stop
// condition, and the time when a joint stop would begin to pull. Each is an event function g of the state; where g
// changes between g <= 0 and g > 0, the time is located inside the step. Round-off must not count as a crossing: a
// limit is crossed when g has left a hysteresis band about zero; the time of the event is where g was 0.
//
// The force of a stop jumps at first contact (its damper), and its derivative jumps at release. Within a step every
// stop is frozen in its state at the start of the step, also for stages and iterations beyond the event: the equation
// stays smooth, the step up to the event keeps the order of the method, and the next step starts with the new side
// independently of round-off. Compliant contacts are treated alike: pairs that are open at the start of a step exert no
// force in it, and the steps end where a gap of the pair passes zero (the k-th smallest gap is continuous).
#pragma once

#include "dynamics/data.h"
#include "simulation/events/corner_events.h"
#include "simulation/integrators/integrator.h"

typedef struct cd_contact_run cd_contact_run;

typedef enum cd_event_function_kind {
    CD_EVENT_FUNCTION_LIMIT,       // g = q - bound (upper) or bound - q (lower)
    CD_EVENT_FUNCTION_STOP_ACTIVE, // g + (c/k) g' > 0: the stop presses; listed after its limit, counts beyond it
    CD_EVENT_FUNCTION_CORNER,      // distance of a point beyond a corner of its curve
    CD_EVENT_FUNCTION_GAP,         // gap of a compliant contact: axis k of the element is gap number k of the pair
    CD_EVENT_FUNCTION_CONTACT,     // simulation/contact/contact_events.h; `element` is the function there
    CD_EVENT_FUNCTION_STOP_CONDITION,
} cd_event_function_kind;

typedef struct cd_event_function {
    cd_event_function_kind kind;
    int                    element;     // of the model; CORNER: index of the corner; GAP: pair of the scene
    int                    joint, axis; // CARDAN_NONE for the stop condition
    double                 bound;
    bool                   is_upper;
    bool                   needs_restart;        // a stop acts there: forces are not smooth, so the integrator restarts
    double                 damping_time;         // c/k [s]
    double                 hysteresis;           // while |g| is below, a joint at its limit does not change its side
    bool                   is_positive;          // side: g > 0
    double                 g_start, g_end;       // at both ends of the interval examined
    double                 rate_start, rate_end; // g' there, for limits
} cd_event_function;

typedef struct cd_events {
    cd_ode_system*       system;
    const cd_integrator* integrator;
    void*                work;
    cardan_expression    stop_condition; // or CARDAN_NONE
    bool*                open_pairs;     // (pairs of compliant contacts) without force in this step
    int                  count;
    cd_event_function*   function;     // (count) the stop condition last, if any
    cd_stop_state*       frozen_stops; // (njoint_force) state of the stops in this step
    cd_corners           corners;
    cd_contact_run*      contacts; // NULL: no rigid contacts
    cd_ode_state         x;        // state at the event found
} cd_events;

void cd_events_layout(cd_events* events, cd_arena* arena);
// Fill the event functions from the description and `stop_condition`.
void cd_events_collect(cd_events* events);

// Set the sides from the state x and freeze the stops. Returns true if the stop condition is met already.
bool cd_events_reset(cd_events* events, const cd_ode_state* x);

// Evaluate all event functions at x, behind a velocity jump there; their sides remain.
void cd_events_update(cd_events* events, const cd_ode_state* x);

// Find the first event in (from, end->t]; `end` is the end of the last step, `from` the time where the sides were
// last set or the last event was found. *found is its event function, or NULL; events->x is the state just behind the
// crossing, and the side is updated.
cardan_status cd_events_find_next(cd_events* events, double from, const cd_ode_state* end, cd_event_function** found);

// Freeze stops and compliant contacts in the state that follows from the present sides.
void cd_events_freeze_stops(cd_events* events);

// Cross the corner found at events->x together with all other corners reached there: move the points to their next
// segments and update their event functions.
cardan_status cd_events_cross_corners(cd_events* events, const cd_event_function* found, cardan_report* report);
