// SPDX-License-Identifier: BSD-3-Clause
// Which constraint acts on which bodies, in flat coordinates: what elimination orders are made from.
#pragma once

#include "constraint/constraint_rows.h"
#include "core/memory.h"

#include <stdbool.h>

// Blocks 0 .. nbody-1 are bodies, nbody .. nbody+nconstraint-1 constraints. Body b has velocities 6 b .. 6 b + 5.
typedef struct cd_kkt_graph {
    int   nbody, nconstraint;
    int*  nrow;                          // (nconstraint)
    bool* grounded;                      // (nconstraint) ground is one of its ends too
    int * body_start, *body;             // bodies of constraint c: body[first[c]] .. body[first[c + 1] - 1]
    int * constraint_start, *constraint; // constraints of body b: list[start[b]] .. list[start[b + 1] - 1]
    bool  has_redundant_rows;            // rows repeat others
    bool  has_penalty; // some bodies have no inertia of their own in some direction: their constraints stand in for it
} cd_kkt_graph;

// Room for constraints on `nend` bodies altogether; the caller fills nrow, grounded, first and body, then closes. False
// without memory.
bool cd_kkt_graph_begin(cd_kkt_graph* graph, int nbody, int nconstraint, int nend);
void cd_kkt_graph_end(cd_kkt_graph* graph);
void cd_kkt_graph_release(cd_kkt_graph* graph);

// Of the rows of a model in flat coordinates. False without memory.
bool cd_kkt_graph_from_rows(cd_kkt_graph* graph, int nbody, const cd_rows* rows);
// Bodies of a constraint; returns how many.
int cd_kkt_bodies_of(const cd_row_block* block, int body[CD_ROW_BLOCK_BODIES_MAX]);
// Bodies breadth first from ground, parts that float from one of their ends: visit (nbody). Returns how many steps it
// takes from body to body, -1 without memory.
int cd_kkt_breadth_first(const cd_kkt_graph* graph, int* order);
