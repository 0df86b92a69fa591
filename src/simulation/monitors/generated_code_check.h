// SPDX-License-Identifier: BSD-3-Clause
// Generated code while a run uses it. Pivots of loops were decided at one state when it was traced, so the library is
// asked too: at every row and event before it is told, at the ends of the first steps, of every start after an event,
// and after every thousand evaluations; with loops also at every closed state that the library evaluates for another
// purpose, which is at least one per step (ode_system.c), and the code is used only where no singular pose can be near.
// Where both agree the state is confirmed, and kept. Where they differ, or where
// the run fails, everything since the last confirmed state is thrown away and done again by the library: nothing of it
// was told.
#pragma once

#include "simulation/integrators/integrator.h"
#include "simulation/monitors/energy_monitor.h"

#include <cardan/simulate.h>

typedef struct cd_checkpoint {
    cd_ode_state      x;
    long              next_sample;           // the next one
    long              generated_evaluations; // evaluations by generated code up to there
    long              next_check;            // at which the library is asked again
    long              check_interval;        // how many of them before that
    bool              mismatch;              // they differ; how much, beside the largest acceleration, and when
    double            difference, mismatch_t;
    bool*             is_positive;                   // (events) sides
    double *          derived_q, *constraint_memory; // coordinates of joints beside the tree, turns of constraints
    cd_energy_monitor energy;
    cardan_summary    summary;
    int               nmessage; // messages
} cd_checkpoint;

struct cd_simulation;

void cd_checkpoint_layout(struct cd_simulation* s, cd_arena* arena);
// x is confirmed, with rows before `row` told.
void cd_checkpoint_save(struct cd_simulation* s, const cd_ode_state* x, long next_sample);
// Whether generated code and the library agree: at the state set, whose accelerations are those of the system; at x.
// CARDAN_STOPPED where they do not.
cardan_status cd_generated_check_sample(struct cd_simulation* s);
cardan_status cd_generated_check_state(struct cd_simulation* s, const cd_ode_state* x);
bool          cd_generated_check_is_due(const struct cd_simulation* s);
// Soon: the next step is the first of a start.
void cd_generated_check_schedule(struct cd_simulation* s);
// Whether a run that ended so is to be done again from the last confirmed state; and that state, from which the library
// goes on.
bool cd_generated_check_needs_restart(const struct cd_simulation* s, cardan_status status);
void cd_checkpoint_restore(struct cd_simulation* s, cardan_status status);
