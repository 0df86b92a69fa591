// SPDX-License-Identifier: BSD-3-Clause
// Safe elimination orders: a null pivot in them is a redundant row, never one that was merely eliminated too early.
//
// When constraint c is eliminated, its pivots are those of c on the eliminated bodies E, restrained by the eliminated
// constraints K. c is safe if one of these conditions is satisfied:
//
// - The component of E that c and K connect has at most one end outside E, ground counted as an end. A combination of
//   rows that vanishes on E then acts on that end alone; since constraints depend on relative motion only, it vanishes
//   there too (ground has no motion). Therefore the row is redundant. This includes bodies first, tree order, closing
//   joints of loops, and "all its bodies are eliminated".
// - c acts on a body of E on which none of K acts. There c has full rank, and no pivot is null.
#pragma once

#include "formulation/maximal/kkt_graph.h"

typedef struct cd_order_safety cd_order_safety;

// Create the state without eliminated blocks. Returns NULL if memory is exhausted.
cd_order_safety* cd_order_safety_create(const cd_kkt_graph* graph);
void             cd_order_safety_destroy(cd_order_safety* safety);
bool             cd_order_safety_allows(const cd_order_safety* safety, int constraint);
void             cd_order_safety_eliminate(cd_order_safety* safety, int block);

// CD_ORDER_SAFE, or the first block of the order that is too early or repeated, or CD_ORDER_SAFETY_NO_MEMORY.
enum { CD_ORDER_SAFE = -1, CD_ORDER_SAFETY_NO_MEMORY = -2 };
int cd_order_safety_check(const cd_kkt_graph* graph, const int* order);
