// SPDX-License-Identifier: BSD-3-Clause
// Runs of a mechanism recorded in memory, for the figures of paper 004 (Anderson, Critchley).
#pragma once

#include <cardan/cardan.h>
#include <stdio.h>

enum { RECORD_JOINTS = 4 };

typedef struct record_settings {
    const char *formulation, *integrator, *stabilization;
    double      end, output, step, tolerance; // [s], [s], [s] of fixed steps, of adaptive ones
    int         digits;                       // decimals of the start values; 0: not rounded
    int         njoint;
    const char* joint[RECORD_JOINTS]; // joints whose coordinate number axis is recorded
    int         axis[RECORD_JOINTS];
} record_settings;

typedef struct record {
    int            count;
    double *       t, *violation, *rate; // (count) [s], constraint violation [m, rad], its rate
    double*        q[RECORD_JOINTS];     // (count)
    cardan_summary summary;
} record;

// Run from the start of the description. Returns false with a message on stderr on failure. The caller frees the record
// in any case.
bool record_run(const cardan_description* description, const record_settings* settings, record* r);
void record_free(record* r);

// A member of a family of `cardan make` with one parameter set (NULL: none).
cardan_description* record_make(const char* family, int n, const char* parameter, const char* value);
// A model below MODELS.
cardan_description* record_load(const char* models, const char* folder);
