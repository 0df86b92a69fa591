// SPDX-License-Identifier: BSD-3-Clause
// A whole mechanism over traced numbers: its tree, its forces, its constraint rows. For trace_*.c only.
#pragma once

#include "generate/traced.h"

#include "constraint/closure.h"
#include "force/laws.h"

typedef struct whole {
    tracing       t;
    cd_kinematics k;
    cd_world      world;
    cd_closure    closure, rotors;
    cd_rows       rows;
    cd_row_block* block;
    double*       compliance;
    real *        q, *v, *state, *effort, *rest, *gamma, *lambda, *r, *a, *signal, *work, *rates;
    spatial*      wrench;
    cd_stop*      open;  // stops, none of them reached
    real          time, power;
    cd_arena      arena;
} whole;

// Measure or assign its memory, as arenas do.
void cd_whole_layout(const cardan_model* m, bool ways, whole* w);
void cd_whole_inputs(const cardan_model* m, whole* w);
// Efforts and wrenches of the model; the latter in the axes of links. Poses are known. `running`: stops are open, and power is wanted.
void cd_whole_forces(const cardan_model* m, bool running, whole* w);
