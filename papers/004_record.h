// SPDX-License-Identifier: BSD-3-Clause
// Runs of a mechanism, recorded in memory for the figures of paper 004 (Anderson, Critchley).
#pragma once

#include <cardan/cardan.h>
#include <stdio.h>

enum { RECORD_JOINTS = 4 };

typedef struct record_plan {
    const char *formulation, *integrator, *stabilization;
    double      end, output, step, tolerance; // [s], [s], [s] of fixed steps, [-] of adaptive steps
    int         digits;                       // decimals to which the start is rounded; 0: not rounded
    int         njoint;
    const char* joint[RECORD_JOINTS]; // joints; the coordinate with index axis[] is recorded
    int         axis[RECORD_JOINTS];
} record_plan;

typedef struct record {
    int     count;
    double *t, *violation, *velocity_violation; // (count) [s], constraint violation [m, rad], velocity violation
    double* q[RECORD_JOINTS];                   // (count)
    cardan_run_summary summary;
} record;

// Run from the start of the description. Returns false, with a message on stderr, on failure. Free the record in both
// cases.
bool record_run(const cardan_description* description, const record_plan* plan, record* r);
void record_free(record* r);

// Generate a member of a family of `cardan make` with one parameter set (NULL: none).
cardan_description* record_make(const char* family, int n, const char* parameter, const char* value);
// Load a model of the folder MODELS.
cardan_description* record_load(const char* models, const char* folder);
