// SPDX-License-Identifier: BSD-3-Clause
// A whole mechanism over traced numbers: its tree, its forces, its constraint rows. For trace_*.c only.
#pragma once

#include "generate/trace/traced_links.h"

#include "constraint/constraint_set.h"
#include "force/force.h"
#include "force/joint_forces.h"
#include "formulation/formulation.h"

typedef struct traced_mechanism {
    tracing               t;
    cd_kinematics         k;
    cd_world_frame        world;
    cd_constraint_set     constraints, rotors;
    cd_rows               rows;
    cd_row_block*         block;
    double*               compliance;
    real *                q, *v, *state, *effort, *zero_nv, *gamma, *lambda, *r, *a, *signal, *work, *rates;
    spatial*              wrench;
    cd_stop*              inactive_stops; // stops, none of them reached
    const cd_force_type** force_type;     // (nforce)
    real                  time, power;
    cd_arena              arena;
} traced_mechanism;

// What solves it: a formulation, or a tree's own recursions; kept for further right sides.
typedef struct traced_solver {
    const cd_formulation* f; // NULL: a tree
    void*                 work;
    real*                 M; // factor of a tree; NULL: articulated bodies, for one right side
    cd_arena              arena;
} traced_solver;

// Measure or assign its memory, as arenas do.
void cd_traced_mechanism_layout(const cardan_model* m, bool joint_space_rows, traced_mechanism* w);
void cd_traced_mechanism_set_inputs(const cardan_model* m, traced_mechanism* w);
// Efforts and wrenches of the model; the latter in the axes of links. Poses are known. `running`: stops are open, and
// power is wanted.
void cd_traced_mechanism_forces(const cardan_model* m, bool for_run, traced_mechanism* w);

// Poses, forces and constraint rows at the inputs.
cardan_status cd_traced_mechanism_begin(cd_graph* graph, const cd_link_tree* s, const cd_input_layout* in, bool for_run,
                                        traced_mechanism* w);
// What is left of the equations of motion, r (nv), and of constraints as accelerations, gamma (closure.nrow), at
// accelerations and multipliers. Scratch: wrenches (nlink), y (rows of rotors).
cardan_status cd_traced_mechanism_residual(const cardan_model* m, traced_mechanism* w, real* a, const real* lambda,
                                           spatial* wrench, real* y, real* r, real* gamma);
// Everything up to the solver and its first answer, a and lambda; `factored`: trees by their mass matrix.
cardan_status cd_traced_mechanism_accelerate(cd_graph* graph, const cd_link_tree* s, const cd_input_layout* in,
                                             int method, bool factored, bool for_run, traced_mechanism* w,
                                             traced_solver* solve);
cardan_status cd_traced_mechanism_solve(const cardan_model* m, traced_mechanism* w, traced_solver* s, const real* r,
                                        const real* gamma, real* a, real* lambda);
// 0, or the number of a constraint, from 1 on: what was decided about it at the sample state does not hold; the number
// behind the last where nobody knows which (trace_validity.c).
cardan_status cd_traced_mechanism_validity(const cardan_model* m, traced_mechanism* w, const traced_solver* solve,
                                           real* invalid);
// What its accelerations and multipliers leave of the equations, as a part of their terms, squared (trace_residual.c).
cardan_status cd_traced_mechanism_relative_residual(const cardan_model* m, traced_mechanism* w, real* residual_sq);
bool          cd_is_embedding(const cd_formulation* f);
cardan_status cd_traced_mechanism_end(traced_mechanism* w, traced_solver* solve,
                                      cardan_status status); // hands the status on
