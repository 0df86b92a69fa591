// SPDX-License-Identifier: BSD-3-Clause
// Graph of constraints and bodies in maximal coordinates, from which elimination orders are computed.
#pragma once

#include "constraint/constraint_rows.h"
#include "core/memory.h"

#include <stdbool.h>

// Blocks 0 .. nbody-1 are bodies, nbody .. nbody+nconstraint-1 constraints. Body b has velocities 6 b .. 6 b + 5.
typedef struct cd_kkt_graph {
    int   nbody, nconstraint;
    int*  nrow;                          // (nconstraint)
    bool* grounded;                      // (nconstraint) ground is also one of its ends
    int * body_start, *body;             // bodies of constraint c: body[body_start[c]] .. body[body_start[c + 1] - 1]
    int * constraint_start, *constraint; // constraints of body b: constraint[constraint_start[b]] ...
    bool  has_redundant_rows;            // some rows are redundant
    bool  has_penalty; // some bodies have singular inertia: their constraints are added as penalty terms
} cd_kkt_graph;

// Allocate for constraints on `nend` bodies altogether; the caller fills nrow, grounded, body_start and body, then
// calls end. Returns false if memory is exhausted.
bool cd_kkt_graph_begin(cd_kkt_graph* graph, int nbody, int nconstraint, int nend);
void cd_kkt_graph_end(cd_kkt_graph* graph);
void cd_kkt_graph_release(cd_kkt_graph* graph);

// Build the graph of the rows of a model in maximal coordinates. Returns false if memory is exhausted.
bool cd_kkt_graph_from_rows(cd_kkt_graph* graph, int nbody, const cd_rows* rows);
// List the bodies of a constraint; returns their number.
int cd_kkt_bodies_of(const cd_row_block* block, int body[CD_ROW_BLOCK_BODIES_MAX]);
// Order the bodies breadth first from ground, floating components from one of their ends: order (nbody). Returns the
// graph depth, the largest distance of a body from the start, or -1 if memory is exhausted.
int cd_kkt_breadth_first(const cd_kkt_graph* graph, int* order);
