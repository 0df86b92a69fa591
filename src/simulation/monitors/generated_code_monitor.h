// SPDX-License-Identifier: BSD-3-Clause
// Check of generated code during a run. Pivots of loops were decided at the trace state, so the library evaluates
// too: at every sample and event before it is output, at the ends of the first steps, of every restart after an
// event, and after every thousand evaluations; with loops also at every projected state that the library evaluates
// for another purpose, at least one per step (ode_system.c), and generated code is used only where no singular
// configuration can be near. Where both agree, the state is saved as a checkpoint. Where they differ, or where the
// run fails, the run returns to the last checkpoint and continues with the library: nothing after the checkpoint was
// output.
#pragma once

#include "simulation/integrators/integrator.h"
#include "simulation/monitors/energy_monitor.h"

#include <cardan/simulate.h>

typedef struct cd_checkpoint {
    cd_ode_state       x;
    long               next_sample;           // sample that follows
    long               generated_evaluations; // up to the checkpoint
    long               next_check;            // evaluation count of the next comparison
    long               check_interval;        // evaluations between comparisons
    bool               mismatch;              // code and library differ; relative difference, and time
    double             difference, mismatch_t;
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
// Compare generated code and library: at the state of the data, with the accelerations of the system; at x. Returns
// CARDAN_STOPPED if they differ.
cardan_status cd_generated_check_sample(struct cd_simulation* s);
cardan_status cd_generated_check_state(struct cd_simulation* s, const cd_ode_state* x);
bool          cd_generated_check_is_due(const struct cd_simulation* s);
// Schedule a comparison soon: the next step is the first after a start.
void cd_generated_check_schedule(struct cd_simulation* s);
// Return whether a run that ended with `status` must be repeated from the last checkpoint; restore the checkpoint,
// from which the library continues.
bool cd_generated_check_needs_restart(const struct cd_simulation* s, cardan_status status);
void cd_checkpoint_restore(struct cd_simulation* s, cardan_status status);
