// SPDX-License-Identifier: BSD-3-Clause
// Checkpoint of a run: an earlier state that was output completely, from which the run can continue. Without a layout
// nothing is saved.
#pragma once

#include "simulation/monitors/energy_monitor.h"
#include "simulation/ode/ode_system.h"

typedef struct cd_checkpoint {
    cd_ode_state       x;
    long               next_sample;                    // sample that follows
    long               generated_evaluations;          // up to the checkpoint
    bool*              is_positive;                    // (events) sides
    double *           derived_q, *constraint_history; // coordinates of off-tree joints, history of constraints
    cd_energy_monitor  energy;
    cardan_run_summary summary;
    int                nmessage; // messages reported so far
} cd_checkpoint;

struct cd_simulation;

void cd_checkpoint_layout(struct cd_simulation* s, cd_arena* arena);
// Save x as checkpoint; samples before next_sample are output.
void cd_checkpoint_save(struct cd_simulation* s, const cd_ode_state* x, long next_sample);
// Remove the messages reported after the checkpoint; restore its state.
void cd_checkpoint_discard_messages(struct cd_simulation* s);
void cd_checkpoint_restore(struct cd_simulation* s);
