// SPDX-License-Identifier: BSD-3-Clause
// Safe elimination orders for maximal coordinates: a joint is never eliminated before it has bodies to lean on.
#pragma once

#include "constraint/rows.h"
#include "formulation/block_ldl.h"

// Blocks 0 .. nbody-1 are bodies, nbody .. nbody+nblock-1 the constraints of rows. Body b has velocities 6 b .. 6 b + 5.
typedef struct cd_flat_graph {
    int            nbody;
    const cd_rows* rows;
} cd_flat_graph;

// Bodies of constraint c, at most four; returns how many.
int cd_flat_bodies(const cd_row_block* block, int body[CD_BLOCK_BODIES]);

// All bodies, then all constraints. Safe where every body has inertia; good for chains, rings, ladders, bad for hubs.
void cd_order_bodies_first(const cd_flat_graph* graph, int* order);
// Leaf body, the constraint that holds it, next body, ...; a loop's closure once the bodies of its way are gone. Good for trees and
// hubs. False without memory.
bool cd_order_tree(const cd_flat_graph* graph, int* order);
