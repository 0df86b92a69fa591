// SPDX-License-Identifier: BSD-3-Clause
// A whole mechanism over traced numbers: its tree, its forces, its constraint rows. For trace_*.c only.
#pragma once

#include "generate/traced.h"

#include "constraint/closure.h"
#include "force/force.h"
#include "force/laws.h"
#include "formulation/formulation.h"

typedef struct whole {
    tracing               t;
    cd_kinematics         k;
    cd_world              world;
    cd_closure            closure, rotors;
    cd_rows               rows;
    cd_row_block*         block;
    double*               compliance;
    real *                q, *v, *state, *effort, *rest, *gamma, *lambda, *r, *a, *signal, *work, *rates;
    spatial*              wrench;
    cd_stop*              open; // stops, none of them reached
    const cd_force_type** type; // (nforce)
    real                  time, power;
    cd_arena              arena;
} whole;

// What solves it: a formulation, or a tree's own recursions; kept for further right sides.
typedef struct solver {
    const cd_formulation* f; // NULL: a tree
    void*                 work;
    real*                 M; // factor of a tree; NULL: articulated bodies, for one right side
    cd_arena              arena;
} solver;

// Measure or assign its memory, as arenas do.
void cd_whole_layout(const cardan_model* m, bool ways, whole* w);
void cd_whole_inputs(const cardan_model* m, whole* w);
// Efforts and wrenches of the model; the latter in the axes of links. Poses are known. `running`: stops are open, and
// power is wanted.
void cd_whole_forces(const cardan_model* m, bool running, whole* w);

// Poses, forces and constraint rows at the inputs.
cardan_status cd_whole_place(cd_graph* graph, const cd_skeleton* s, const cd_sources* in, bool running, whole* w);
// What is left of the equations of motion, r (nv), and of constraints as accelerations, gamma (closure.nrow), at
// accelerations and multipliers. Scratch: wrenches (nlink), y (rows of rotors).
cardan_status cd_whole_residual(const cardan_model* m, whole* w, real* a, const real* lambda, spatial* wrench, real* y,
                                real* r, real* gamma);
// Everything up to the solver and its first answer, a and lambda; `factored`: trees by their mass matrix.
cardan_status cd_whole_begin(cd_graph* graph, const cd_skeleton* s, const cd_sources* in, int way, bool factored,
                             bool running, whole* w, solver* solve);
cardan_status cd_whole_solve(const cardan_model* m, whole* w, solver* s, const real* r, const real* gamma, real* a,
                             real* lambda);
// 0, or the number of a constraint, from 1 on: what was decided about it at the sample state does not hold; the number
// behind the last where nobody knows which (trace_lost.c).
cardan_status cd_whole_lost(const cardan_model* m, whole* w, const solver* solve, real* lost);
// What its accelerations and multipliers leave of the equations, as a part of their terms, squared (trace_left.c).
cardan_status cd_whole_left(const cardan_model* m, whole* w, real* square);
bool          cd_is_embedding(const cd_formulation* f);
cardan_status cd_whole_end(whole* w, solver* solve, cardan_status status); // hands the status on
