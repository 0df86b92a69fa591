// SPDX-License-Identifier: BSD-3-Clause
// Runs of a mechanism kept in memory, for the figures of Anderson and Critchley's paper.
#pragma once

#include <cardan/cardan.h>
#include <stdio.h>

enum { RECORD_JOINTS = 4 };

typedef struct record_plan {
    const char *formulation, *integrator, *stabilization;
    double      end, output, step, tolerance; // [s], [s], [s] of fixed steps, of adaptive ones
    int         digits;                       // the start is rounded to so many decimals; 0: it is not
    int         njoint;
    const char* joint[RECORD_JOINTS]; // whose coordinate number axis is kept
    int         axis[RECORD_JOINTS];
} record_plan;

typedef struct record {
    int            count;
    double *       t, *gap, *rate;   // (count) [s], gap of the loops [m, rad], its rate
    double*        q[RECORD_JOINTS]; // (count)
    cardan_summary summary;
} record;

// From the description's start; false, and a sentence on stderr, where that fails. The record is to be freed in any
// case.
bool record_run(const cardan_description* description, const record_plan* plan, record* r);
void record_free(record* r);

// A member of a family of `cardan make` with one parameter set (or none: NULL).
cardan_description* record_make(const char* family, int n, const char* parameter, const char* value);
// A model below MODELS.
cardan_description* record_load(const char* models, const char* folder);
