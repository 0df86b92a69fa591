// SPDX-License-Identifier: BSD-3-Clause
// One instant of a mechanism as nodes of one graph: its equations of motion in one form, with its own forces, its
// constraints, and what formulas look at.
#pragma once

#include "generate/trace/input_layout.h"

typedef enum cd_dynamics_form {
    CD_DYNAMICS_IMPL,
    CD_DYNAMICS_SEMI,
    CD_DYNAMICS_EXP1,
    CD_DYNAMICS_EXP2
} cd_dynamics_form;

// dynamics (nv), with multipliers lambda of the rows as inputs:
//
//   impl   Phi(q, v, a) + J'lambda - effort - Q(q, v, t)        semi   M(q) a + c(q, v) + J'lambda - effort - Q
//                                                                      zero along motions
//   exp1   accelerations, mass matrix factored                  exp2   accelerations, articulated bodies
//
// Rows are numbered as in the closure of the model, rotors of joints beside the tree behind them.
typedef struct cd_traced_dynamics {
    cd_dynamics_form form;
    int              nrow, first_multiplier; // rows that are wanted; first input of their multipliers
    const int*       row;                    // (nrow)
    // results, arrays of the caller
    cd_node* dynamics;   // (nv)
    cd_node* signal;     // (nsignal) what formulas look at, in the order of the description at the time of the call
    cd_node* state_rate; // (nstate) of the user's states
    cd_node *position, *velocity, *acceleration; // (nrow) value, rate, J a - gamma - compliance lambda; zero constants
                                                 // where a row has no such level
} cd_traced_dynamics;

cardan_status cd_trace_dynamics(cd_graph* graph, const cd_link_tree* s, const cd_input_layout* in,
                                cd_traced_dynamics* out);
