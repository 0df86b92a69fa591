// SPDX-License-Identifier: BSD-3-Clause
// Driven motions that rest at a singular pose: several branches begin there, and no velocity tells which one is theirs.
#pragma once

#include "dynamics/winding_numbers.h"
#include "simulation/singularity/singular_events.h"

#include <cardan/assemble.h>

// Work memory to evaluate configurations near the start: scaled rows, and joint angles with their full turns.
typedef struct cd_standstill_probe {
    cardan_start*      start; // (joints)
    double *           J, *scale, *sigma, *work;
    cd_winding_numbers winding;
} cd_standstill_probe;

typedef struct cd_singular_standstill {
    bool                is_standstill;
    double              t;     // [s] when it was last seen to
    int                 row;   // the weakest
    cd_standstill_probe probe; // none where nothing is driven, or rows are too many
} cd_singular_standstill;

void cd_singular_standstill_layout(const cd_ode_system* system, cd_arena* arena, cd_singular_standstill* r);

// At the start, where the data are, between rows of a run: whether laws let it rest there at a singular pose.
bool cd_singular_standstill_check_start(cd_singular_standstill* r, const cd_singular_events* p, cd_ode_system* system);
// At x, after a look. Poses with singular values below `zero` are singular. A motion that has left is told.
void cd_singular_standstill_update(cd_singular_standstill* r, const cd_singular_events* p, cd_ode_system* system,
                                   const cd_ode_state* x, double zero, cardan_report* report);
