// SPDX-License-Identifier: BSD-3-Clause
// What a run holds while it goes on (simulate.c).
#pragma once

#include "motion/bearings.h"
#include "motion/chatter.h"
#include "motion/confirm.h"
#include "motion/energy_balance.h"
#include "motion/events.h"
#include "motion/failure.h"
#include "motion/instants.h"
#include "motion/law_end.h"
#include "motion/opening.h"
#include "motion/passage.h"
#include "motion/resting.h"
#include "motion/settings.h"
#include "motion/stabilization.h"
#include "motion/stand_in.h"

#include "dynamics/turns.h"

typedef struct simulation {
    cardan_run              run; // complete
    cd_system               system;
    const cd_integrator*    integrator;
    void*                   work; // of the integrator
    cd_stand_in             stand_in;
    const cd_stabilization* stabilization;
    void*                   steady; // its work
    cd_events               events;
    cd_passage              passage;
    cd_resting              resting;
    cd_bearings             bearings;
    bool                    strayed;        // into another branch: told once
    bool                    asked, missing; // for a gap; the last window left more
    cd_open_loop            widest;         // at a row
    cd_opening              opening;        // from step to step
    cd_point                x;              // end of the last step
    bool                    open;           // not yet put back on the constraints
    double                  fastest;        // [1/s] velocity there
    double                  weakest;        // how firm the weakest pose was that was looked at in the last step
    double                  firm_way;       // [rad, lengths] to move without a look where gaps are left
    bool                    apart;          // it could not be, and nothing is said of it yet
    bool                    sequences;      // measured joints of several steps
    double                  turned;         // [rad] at most, since turns were counted,
    cd_turns                turns;          // and what they were then
    double                  two_rad;        // [s] in which the fastest free body turns by that at x
    cd_point                row_x;          // state of a row, or of a look inside a step
    double*                 rate;           // (nz) there
    long                    row, last_row;
    cd_energy_balance       balance;
    cd_confirmed            confirmed; // where generated code is used
    double                  longest;   // [s] step so far
    cd_law_end              end;
    cd_instants             instants;
    cd_chatter              chatter;
    cardan_summary*         summary;
    cardan_report*          report;
    cd_arena                arena;
} simulation;

// Memory and settings of everything that takes part; false without memory.
bool cd_simulation_prepare(simulation* s, cardan_data* data);

// The data at x.
cardan_status cd_simulation_set(simulation* s, const cd_point* x);

// ---- simulate.c

// From x on, with nothing of the past. What rounding leaves before the end is not worth a step.
cardan_status cd_run_begin(simulation* s);
// Why the run cannot go on from x; returns the status.
cardan_status cd_run_failed(simulation* s, cardan_status status);

// ---- start.c

cardan_status cd_set_start(simulation* s);
// x back on the constraints; without a report nothing is said where that fails.
cardan_status cd_put_back(simulation* s, cd_point* x, cardan_report* report);
// The same, told; near the end of a law it is the law's failure.
cardan_status cd_steady(simulation* s, cd_point* x);

// ---- rows.c

// The row of time t, which is that of x but for rounding.
cardan_status cd_give_row(simulation* s, cd_point* x, double t);
// Rows due up to time t of the last step.
cardan_status cd_give_rows(simulation* s, double t);
cardan_status cd_tell_event(simulation* s, const cd_watch* watch);
// Events and rows of the last step, in the order of time.
cardan_status cd_follow_step(simulation* s, double from);

// ---- turns.c

// [s] Longest step in which none of them turns by half of a turn.
double cd_turn_limit(const simulation* s);
// At x, where the data have counted so far.
cardan_status cd_begin_turning(simulation* s);
// Whether the step from time `from` to x may have turned one by that much all the same.
bool cd_turned_too_far(simulation* s, double from);
// At the end of a step h.
cardan_status cd_count_turns(simulation* s, double h);
// Rows and events within the step have moved the data: turns go on from its end, where the next step begins.
cardan_status cd_go_on_turning(simulation* s);

// ---- looks.c

// Whether a point inside the last step may be near a singular pose.
bool cd_may_be_weak(const simulation* s);
// Before the first row: whether the run starts near one; and before the first step, what follows of that.
void cd_look_at_start(simulation* s);
void cd_leave_start(simulation* s);
// How firm the pose x is.
cardan_status cd_look_at(simulation* s, const cd_point* x);
// Singular poses and branches in the step from time `from` to x.
cardan_status cd_look_into_step(simulation* s, double from);
// Gaps that grow from step to step, where steps close those of the one before: told where that begins. h [s]: the step.
cardan_status cd_look_at_opening(simulation* s, double h);
// Accelerations at a row x, into those of the system. Near singular poses with the care that steps take: what is put
// back on the constraints there is x as well.
cardan_status cd_accelerate_row(simulation* s, cd_point* x);

// ---- stand_in.c

bool cd_stand_in_prepare(simulation* s); // false without memory
// No step was found from x on: true where that is near a singular pose, and another method is there now to take it.
bool cd_stand_in_enter(simulation* s, cardan_status status);
// After a step h: true where the method is another one now, which is to begin anew: steps crawl near a singular pose,
// or x is firm again.
bool cd_stand_in_change(simulation* s, double h);
void cd_stand_in_finish(simulation* s);
