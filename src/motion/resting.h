// SPDX-License-Identifier: BSD-3-Clause
// Driven motions that rest at a singular pose: several branches begin there, and no velocity tells which one is theirs.
#pragma once

#include "dynamics/turns.h"
#include "motion/passage.h"

#include <cardan/assemble.h>

// Work memory to evaluate configurations near the start: scaled rows, and joint angles with their full turns.
typedef struct cd_rest_probe {
    cardan_start* start; // (joints)
    double *      J, *scale, *sigma, *work;
    cd_turns      turns;
} cd_rest_probe;

typedef struct cd_resting {
    bool          rests;
    double        t;     // [s] when it was last seen to
    int           row;   // the weakest
    cd_rest_probe probe; // none where nothing is driven, or rows are too many
} cd_resting;

void cd_rest_layout(const cd_system* system, cd_arena* arena, cd_resting* r);

// At the start, where the data are, between rows of a run: whether laws let it rest there at a singular pose.
bool cd_rest_begin(cd_resting* r, const cd_passage* p, cd_system* system);
// At x, after a look. Poses with singular values below `zero` are singular. A motion that has left is told.
void cd_rest_look(cd_resting* r, const cd_passage* p, cd_system* system, const cd_point* x, double zero,
                  cardan_report* report);
