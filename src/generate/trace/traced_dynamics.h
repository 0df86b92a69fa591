// SPDX-License-Identifier: BSD-3-Clause
// Equations of one time point of an optimal-control problem as nodes of one graph: equations of motion in one of four
// forms with the forces of the model, constraint rows, and the signals that formulas read.
#pragma once

#include "generate/trace/input_layout.h"

// The same methods as formulations: implicit, semi, cholesky, order-n.
typedef enum cd_dynamics_form {
    CD_DYNAMICS_IMPL,
    CD_DYNAMICS_SEMI,
    CD_DYNAMICS_EXP1,
    CD_DYNAMICS_EXP2
} cd_dynamics_form;

// dynamics (nv), with multipliers lambda of the rows as inputs:
//
//   impl   Phi(q, v, a) + J'lambda - effort - Q(q, v, t)        semi   M(q) a + c(q, v) + J'lambda - effort - Q
//                                                                      both are zero for a motion of the mechanism
//   exp1   accelerations, mass matrix factored                  exp2   accelerations, articulated bodies
//
// Rows are numbered as in the constraint set of the model; rotors of off-tree joints follow.
typedef struct cd_traced_dynamics {
    cd_dynamics_form form;
    int              nrow, first_multiplier; // number of rows; first input of their multipliers
    const int*       row;                    // (nrow) row numbers
    // results, arrays of the caller
    cd_node* dynamics;   // (nv)
    cd_node* signal;     // (nsignal) signals of the formulas, in the order of the description at the time of the call
    cd_node* state_rate; // (nstate) rates of the user states
    cd_node *position, *velocity, *acceleration; // (nrow) c, cdot, J a - gamma - compliance lambda; zero constants
                                                 // for levels that a row does not have
} cd_traced_dynamics;

cardan_status cd_trace_dynamics(cd_graph* graph, const cd_link_tree* tree, const cd_input_layout* in,
                                cd_traced_dynamics* out);
