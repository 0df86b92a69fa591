// SPDX-License-Identifier: BSD-3-Clause
// What a run holds while it goes on (simulate.c).
#pragma once

#include "motion/bearings.h"
#include "motion/energy_balance.h"
#include "motion/events.h"
#include "motion/failure.h"
#include "motion/law_end.h"
#include "motion/opening.h"
#include "motion/passage.h"
#include "motion/settings.h"
#include "motion/stabilization.h"

#include "dynamics/data.h"

typedef struct simulation {
    cardan_run           run; // complete
    cd_system            system;
    const cd_integrator* integrator;
    void*                work; // of the integrator
    const cd_stabilization* stabilization;
    void*                   steady; // its work
    cd_events            events;
    cd_passage           passage;
    cd_bearings          bearings;
    bool                 strayed; // into another branch: told once
    bool                 asked, missing; // for a gap; the last window left more
    cd_open_loop         widest;         // at a row
    cd_opening           opening;        // from step to step
    cd_point             x;     // end of the last step
    bool                 open;  // not yet put back on the constraints
    double               weakest; // how firm the weakest pose was that was looked at in the last step
    bool                 apart; // it could not be, and nothing is said of it yet
    bool                 sequences;  // measured joints of several steps
    double               turned;     // [rad] at most, since turns were counted
    cd_point             row_x; // state of a row, or of a look inside a step
    double*              rate;  // (nz) there
    long                 row, last_row;
    cd_energy_balance    balance;
    double               longest;            // [s] step so far
    cd_law_end           end;
    cardan_summary*      summary;
    cardan_report*       report;
    cd_arena             arena;
} simulation;

// Memory and settings of everything that takes part; false without memory.
bool cd_simulation_prepare(simulation* s, cardan_data* data);
