// SPDX-License-Identifier: BSD-3-Clause
// A whole mechanism over traced numbers: tree, forces, constraint rows. For trace_*.c only.
#pragma once

#include "generate/trace/traced_contacts.h"
#include "generate/trace/traced_links.h"

#include "constraint/constraint_set.h"
#include "force/force.h"
#include "force/joint_forces.h"
#include "formulation/formulation.h"

typedef struct traced_mechanism {
    tracing               t;
    cd_kinematics         k;
    cd_world_motion       world;
    cd_constraint_set     constraints, rotors;
    cd_rows               rows;
    cd_row_block*         block;
    double*               compliance;
    real *                q, *v, *state, *effort, *zero_nv, *gamma, *lambda, *r, *a, *signal, *work, *rates;
    spatial*              wrench;
    cd_stop_state*        inactive_stops; // (njoint_force) inactive stops
    const cd_force_type** force_type;     // (nforce)
    cd_traced_contacts    contacts;
    real                  time, power;
    cd_arena              arena;
} traced_mechanism;

// Solver of the mechanism: a formulation, or a recursion for trees; reused for further right-hand sides.
typedef struct traced_solver {
    const cd_formulation* f; // NULL: a tree
    void*                 work;
    real*                 M; // factored mass matrix of a tree; NULL: articulated bodies, for one right-hand side
    cd_arena              arena;
} traced_solver;

// Begin a trace and assign the memory of the mechanism; release both, also after a failure.
cardan_status cd_traced_mechanism_create(cd_graph* graph, const cd_link_tree* tree, const cd_input_layout* in,
                                         traced_mechanism* w);
void          cd_traced_mechanism_release(traced_mechanism* w);
void          cd_traced_mechanism_set_inputs(const cardan_model* m, traced_mechanism* w);
// Evaluate efforts and wrenches of the model, the latter in link axes. The poses must be set. for_run: stops are
// inactive, and the power is computed.
void cd_traced_mechanism_forces(const cardan_model* m, bool for_run, traced_mechanism* w);

// Evaluate poses, forces and constraint rows at the inputs.
cardan_status cd_traced_mechanism_begin(cd_graph* graph, const cd_link_tree* tree, const cd_input_layout* in,
                                        bool for_run, traced_mechanism* w);
// Residuals of the equations of motion, r (nv), and of the constraints at acceleration level, gamma (constraints.nrow),
// at given accelerations and multipliers. Scratch: wrench (nlink), y (rotors.nrow).
cardan_status cd_traced_mechanism_residual(const cardan_model* m, traced_mechanism* w, real* a, const real* lambda,
                                           spatial* wrench, real* y, real* r, real* gamma);
// Evaluate the mechanism, begin the solver and solve for a and lambda. `factored`: trees by their mass matrix.
cardan_status cd_traced_mechanism_accelerate(cd_graph* graph, const cd_link_tree* tree, const cd_input_layout* in,
                                             int method, bool factored, bool for_run, traced_mechanism* w,
                                             traced_solver* solve);
cardan_status cd_traced_mechanism_solve(const cardan_model* m, traced_mechanism* w, traced_solver* s, const real* r,
                                        const real* gamma, real* a, real* lambda);
// Validity check: 0, or the number (from 1 on) of a constraint for which a decision of the trace state does not hold;
// the number after the last one if the constraint is not known (trace_validity.c).
cardan_status cd_traced_mechanism_validity(const cardan_model* m, traced_mechanism* w, const traced_solver* solve,
                                           real* invalid);
// Relative residual of the equations at w->a and w->lambda, squared (trace_residual.c).
cardan_status cd_traced_mechanism_relative_residual(const cardan_model* m, traced_mechanism* w, real* residual_sq);
bool          cd_is_embedding(const cd_formulation* f);
cardan_status cd_traced_mechanism_end(traced_mechanism* w, traced_solver* solve,
                                      cardan_status status); // returns `status`
