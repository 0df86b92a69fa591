// SPDX-License-Identifier: BSD-3-Clause
// Interface of monitors: everything that observes a run. The step loop (simulate.c, step_control.c) and prescribed
// motion know this interface only. To add a monitor: write a file with its cd_monitor and add its row to monitors.def.
//
// Precedence of verdicts: monitors are asked in the order of monitors.def. The first verdict that refuses the step
// (shorten, restart, end, abort) holds, and later monitors are not asked; "fall back" holds if no other monitor
// refuses the step.
#pragma once

#include "core/memory.h"

#include <cardan/simulate.h>

typedef struct cd_simulation cd_simulation;
typedef struct cd_ode_state  cd_ode_state;

typedef enum cd_verdict {
    CD_VERDICT_CONTINUE,
    CD_VERDICT_FALL_BACK, // the integrator was exchanged near a singular configuration: start it at x
    CD_VERDICT_SHORTEN,   // return to the start of the step and repeat it with half its length
    CD_VERDICT_RESTART,   // return to the last checkpoint (`recover` of the same monitor)
    CD_VERDICT_END,       // no solution exists at the end of the step: end the run at the last time with a solution
    CD_VERDICT_ABORT,     // the run has failed; step.status is reported
} cd_verdict;

typedef enum cd_monitor_phase {
    CD_PHASE_TAKEN,      // x is the end of the integrator's step, not yet projected onto the constraints
    CD_PHASE_STABILIZED, // x is the end of an accepted step; its events and samples are not yet output
    CD_PHASE_OUTPUT,     // they are; an event may have moved x back
    CD_PHASES
} cd_monitor_phase;

typedef enum cd_start_reason {
    CD_START_MEMORY,        // memory is assigned and zeroed; monitors with memory of their own allocate or clear it
    CD_START_STATE,         // x is the initial state; before the first sample
    CD_START_STEPS,         // after the first sample; before the first step
    CD_START_INTEGRATOR,    // the integrator starts at x without history
    CD_START_DISCONTINUITY, // x is behind a discontinuity
    CD_START_VELOCITY_JUMP, // velocities of x are those behind a jump
    CD_START_INPUT,         // the caller changed forces or drivers: x was moved back to the time of the change
    CD_START_CHECKPOINT,    // x is the state of the last checkpoint
} cd_start_reason;

typedef enum cd_explanation {
    CD_EXPLAIN_INVALID, // the state at step.t_invalid, which this monitor found invalid
    CD_EXPLAIN_FAILURE, // a failed step: true if it is reported
    CD_EXPLAIN_NOTE,    // the failure is reported: add a note
} cd_explanation;

// All functions may be NULL, except `applies`. work: (work_size) zeroed memory of the monitor.
typedef struct cd_monitor {
    bool (*applies)(const cd_simulation* s); // false: the monitor costs nothing in this run
    size_t work_size;
    bool   owns_memory; // the work contains memory that `start` allocates and `finish` frees
    void (*layout)(cd_simulation* s, cd_arena* arena, void* work); // called twice, to measure and to assign
    cardan_status (*start)(cd_simulation* s, void* work, cd_start_reason reason); // failures are reported
    double (*step_limit)(const cd_simulation* s, const void* work);               // [s] longest step
    cd_verdict (*check[CD_PHASES])(cd_simulation* s, void* work);                 // the step from step.from to x
    bool (*is_valid)(cd_simulation* s, void* work, const cd_ode_state* x); // x, inside the last step, is a solution
    // Check a sample before it is output; the data are at its state, solved.
    cardan_status (*at_output)(cd_simulation* s, void* work, const cardan_sample* sample);
    cardan_status (*at_event)(cd_simulation* s, void* work, const cd_ode_state* x); // before the event at x is reported
    bool (*explain)(cd_simulation* s, void* work, cd_explanation kind, cardan_status status);
    // The run ended with `status`: true if the monitor has restored a checkpoint from which the run continues.
    bool (*recover)(cd_simulation* s, void* work, cardan_status status);
    // End of the run: summary and warnings, release of memory. Returns the final status.
    cardan_status (*finish)(cd_simulation* s, void* work, cardan_status status);
} cd_monitor;

enum { CD_MONITORS_MAX = 16 };

// Monitors that apply to a run.
typedef struct cd_active_monitors {
    int               count;
    const cd_monitor* monitor[CD_MONITORS_MAX];
    void*             work[CD_MONITORS_MAX]; // parts of one block
    void*             block;
} cd_active_monitors;

bool          cd_monitors_select(cd_simulation* s); // false if memory is exhausted
void          cd_monitors_clear(cd_simulation* s);  // zero the work of monitors that own no memory
void          cd_monitors_layout(cd_simulation* s, cd_arena* arena);
cardan_status cd_monitors_start(cd_simulation* s, cd_start_reason reason);
double        cd_monitors_step_limit(const cd_simulation* s);
cd_verdict    cd_monitors_check(cd_simulation* s, cd_monitor_phase phase);
cardan_status cd_monitors_at_output(cd_simulation* s, const cardan_sample* sample);
cardan_status cd_monitors_at_event(cd_simulation* s, const cd_ode_state* x);
bool          cd_monitors_accept_state(cd_simulation* s, const cd_ode_state* x); // x is valid
bool          cd_monitors_explain(cd_simulation* s, cd_explanation kind, cardan_status status);
bool          cd_monitors_recover(cd_simulation* s, cardan_status status);
// Finish and release all monitors.
cardan_status cd_monitors_finish(cd_simulation* s, cardan_status status);
