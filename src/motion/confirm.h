// SPDX-License-Identifier: BSD-3-Clause
// Generated code while a run uses it. Pivots of loops were decided at one state when it was traced, so the library is
// asked too: at every row and event before it is told, at the ends of the first steps, of every start after an event,
// and after every thousand evaluations; with loops also at every closed state that the library evaluates for another
// purpose, which is at least one per step (system.c), and the code is used only where no singular pose can be near.
// Where both agree the state is confirmed, and kept. Where they differ, or where
// the run fails, everything since the last confirmed state is thrown away and done again by the library: nothing of it
// was told.
#pragma once

#include "motion/integrator.h"
#include "motion/energy_balance.h"

#include <cardan/simulate.h>

typedef struct cd_confirmed {
    cd_point          x;
    long              row;       // the next one
    long              evaluated; // evaluations by generated code up to there
    long              next;      // at which the library is asked again
    long              apart;     // how many of them before that
    bool              doubt;     // they differ; how much, beside the largest acceleration, and when
    double            off, t;
    bool*             out;               // (events) sides
    double *          measured, *memory; // coordinates of joints beside the tree, turns of constraints
    cd_energy_balance balance;
    cardan_summary    summary;
    int               said; // messages
} cd_confirmed;

struct simulation;

void cd_confirmed_layout(struct simulation* s, cd_arena* arena);
// x is confirmed, with rows before `row` told.
void cd_confirm(struct simulation* s, const cd_point* x, long row);
// Whether generated code and the library agree: at the state set, whose accelerations are those of the system; at x.
// CARDAN_STOPPED where they do not.
cardan_status cd_confirm_row(struct simulation* s);
cardan_status cd_confirm_at(struct simulation* s, const cd_point* x);
bool          cd_confirm_due(const struct simulation* s);
// Soon: the next step is the first of a start.
void cd_confirm_soon(struct simulation* s);
// Whether a run that ended so is to be done again from the last confirmed state; and that state, from which the library
// goes on.
bool cd_confirm_fails(const struct simulation* s, cardan_status status);
void cd_confirm_return(struct simulation* s, cardan_status status);
