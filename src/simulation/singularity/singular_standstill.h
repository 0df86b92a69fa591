// SPDX-License-Identifier: BSD-3-Clause
// Driven motions that stand still at a singular configuration: several branches start there, and no velocity selects
// one.
#pragma once

#include "dynamics/winding_numbers.h"
#include "simulation/singularity/singular_events.h"

#include <cardan/assemble.h>

// Work memory to evaluate configurations near the start: scaled rows, and winding numbers.
typedef struct cd_standstill_probe {
    cardan_joint_start* start; // (joints)
    double *            J, *scale, *sigma, *work;
    cd_winding_numbers  winding;
} cd_standstill_probe;

typedef struct cd_singular_standstill {
    bool                is_standstill;
    double              t;     // [s] last time of the standstill
    int                 row;   // row of the smallest singular value
    cd_standstill_probe probe; // empty if there are no drivers, or too many rows
} cd_singular_standstill;

void cd_singular_standstill_layout(const cd_ode_system* system, cd_arena* arena, cd_singular_standstill* standstill);

// Check at the start, at the state of the data, whether the drivers keep the mechanism at a singular configuration.
bool cd_singular_standstill_check_start(cd_singular_standstill* standstill, const cd_singular_events* events,
                                        cd_ode_system* system);
// Update at x, after the conditioning was computed. Configurations with singular values below `zero` count as
// singular. Warns when the motion leaves the standstill.
void cd_singular_standstill_update(cd_singular_standstill* standstill, const cd_singular_events* events,
                                   cd_ode_system* system, const cd_ode_state* x, double zero, cardan_report* report);
