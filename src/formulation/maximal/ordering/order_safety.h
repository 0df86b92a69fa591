// SPDX-License-Identifier: BSD-3-Clause
// Which elimination orders are safe: a null pivot in them is a row that truly repeats others, never one that merely
// came too early.
//
// When constraint c is eliminated, its pivots are those of c on the bodies E that are gone, restrained by the
// constraints K that are gone. c is safe if one of these holds:
//
// - The part of E that c and K hold together reaches at most one end outside E, ground counted as an end. A combination
//   of rows that vanishes on E then acts on that end alone; since constraints feel relative motion only, it vanishes
//   there too (on ground there is nothing to act on). So the row is dependent indeed. This covers bodies first, tree
//   order, the closures of loops, and "all its bodies are gone".
// - One body of E is held by c and by none of K. There c has full rank, and no pivot is null.
#pragma once

#include "formulation/maximal/kkt_graph.h"

typedef struct cd_order_safety cd_order_safety;

// Nothing eliminated yet. NULL without memory.
cd_order_safety* cd_order_safety_create(const cd_kkt_graph* graph);
void             cd_order_safety_destroy(cd_order_safety* safety);
bool             cd_order_safety_allows(const cd_order_safety* safety, int constraint);
void             cd_order_safety_eliminate(cd_order_safety* safety, int block);

// CD_ORDER_SAFE, or the first block of the order that comes too early or twice, or CD_ORDER_SAFETY_NO_MEMORY.
enum { CD_ORDER_SAFE = -1, CD_ORDER_SAFETY_NO_MEMORY = -2 };
int cd_order_safety_check(const cd_kkt_graph* graph, const int* order);
