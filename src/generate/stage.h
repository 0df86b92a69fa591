// SPDX-License-Identifier: BSD-3-Clause
// One instant of a mechanism as nodes of one graph: its equations of motion in one form, with its own forces, and what formulas look at.
#pragma once

#include "generate/trace.h"

typedef enum cd_stage_form { CD_STAGE_IMPL, CD_STAGE_SEMI, CD_STAGE_EXP1, CD_STAGE_EXP2 } cd_stage_form;

// Trees only: neither loops nor other constraints. dynamics (nv):
//
//   impl   Phi(q, v, a) - effort - Q(q, v, t)        semi   M(q) a + c(q, v) - effort - Q        zero along motions
//   exp1   accelerations, mass matrix factored       exp2   accelerations, articulated bodies
//
// signal (nsignal): values of what formulas look at, in the order of the model's description at the time of the call.
cardan_status cd_trace_stage(cd_graph* graph, const cd_skeleton* s, const cd_sources* in, cd_stage_form form, cd_node* dynamics, cd_node* signal);
