// SPDX-License-Identifier: BSD-3-Clause
// Motion over time.
#pragma once

#include <cardan/dynamics.h>

int         cardan_integrator_count(void);
const char* cardan_integrator_name(int integrator);
const char* cardan_integrator_summary(int integrator);
int         cardan_integrator_find(const char* name);
int         cardan_integrator_order(int integrator);     // of a fixed-step method; 0: variable
bool        cardan_integrator_adaptive(int integrator);  // takes a tolerance instead of a step

typedef struct cardan_event {
    double t;
    int    joint, coordinate;  // CARDAN_NONE: the stop condition
    bool   upper;              // limit reached: upper or lower
    bool   entering;           // passing outward or coming back
} cardan_event;

/// One output row is due; or an event was located. Return false to end the run (Ctrl-C).
typedef bool (*cardan_row_function)(void* user, cardan_data* data, double t, const double* a);
typedef void (*cardan_event_function)(void* user, cardan_data* data, const cardan_event* event);

typedef struct cardan_run {
    int    integrator;  // index; CARDAN_NONE: Dormand-Prince
    double start, end;  // [s]
    double output;      // time between rows [s]
    double step;        // [s] fixed-step methods; 0: output / a whole number, about 1 ms
    double tolerance;   // adaptive methods, relative; 0: 1e-8
    double max_step;    // [s] adaptive; 0: no bound
    cardan_expression stop;  // ends the run where it becomes positive; CARDAN_NONE: never

    const double *q, *v, *state;  // start values; NULL: the model's

    cardan_row_function   row;    // may be NULL
    cardan_event_function event;  // may be NULL
    void*                 user;
} cardan_run;

typedef struct cardan_summary {
    cardan_status status;
    double        t;                      // reached
    long          steps, rejected, evaluations, rows, events;
    double        energy_start, energy_end;
    double        energy_drift;           // largest |E - E_start - work of the other forces| / largest kinetic energy
    double        wall;                   // [s]
} cardan_summary;

cardan_run cardan_run_default(void);

/// Run `data` from start to end. Rows come at start, start + output, ..., end, exactly.
/// On failure the summary says how far it came, and `report` why and what to try.
cardan_status cardan_simulate(cardan_data* data, const cardan_run* run, cardan_summary* summary, cardan_report* report);
