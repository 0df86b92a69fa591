// SPDX-License-Identifier: BSD-3-Clause
// Recursions over graph nodes: what is computed from inputs becomes nodes of a graph. Inputs of the graph are numbered q, v, a, effort in turn.
#pragma once

#include "generate/skeleton.h"

// Where inputs stand, and their values at the state that decides about pivots.
typedef struct cd_sources {
    int     q, v, a, effort, state, time, count;
    double* sample;  // (count)
} cd_sources;

// The forms of the equations of motion, and how many numbers each gives.
typedef enum cd_form {
    CD_FORM_IMPL,  // tau (nv) = ID(q, v, a)
    CD_FORM_SEMI,  // M (lower triangle, row by row), c (nv) = ID(q, v, 0)
    CD_FORM_EXP1,  // a (nv) = M^-1 (effort - c), M factored along the tree
    CD_FORM_EXP2,  // the same by articulated bodies
    CD_FORMS,
} cd_form;

int           cd_form_outputs(const cd_skeleton* s, cd_form form);
cardan_status cd_trace_form(cd_graph* graph, const cd_skeleton* s, const cd_sources* in, cd_form form, cd_node* output);
