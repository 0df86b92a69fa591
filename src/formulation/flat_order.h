// SPDX-License-Identifier: BSD-3-Clause
// Safe elimination orders for maximal coordinates, as a table, and the choice of the cheapest by counting.
// To add one: write src/formulation/order_<name>.c and add its row to flat_orders.def.
#pragma once

#include "formulation/block_pattern.h"
#include "formulation/flat_safe.h"

typedef enum cd_order_made {
    CD_ORDER_MADE,
    CD_ORDER_GIVEN_UP, // it would be dear: others will do
    CD_ORDER_FAILED,   // no memory
} cd_order_made;

typedef struct cd_flat_order {
    const char* name;
    const char* summary;
    // `pattern` has the blocks of the graph; order: room for all of them.
    cd_order_made (*make)(const cd_flat_graph* graph, const cd_block_pattern* pattern, int* order);
    // Jumps about in the mechanism. Where bodies lean on their constraints, and in large mechanisms, that loses digits
    // (ladders of slender rods: all of them from some hundred cells on; rope ladders from ten thousand), while orders
    // that walk along it keep them.
    bool jumps;
    // Rows must be independent, where mechanisms are long: pivots of rows that repeat others drown in rounding that
    // adds up.
    bool independent;
} cd_flat_order;

int                  cd_flat_order_rows(void);
const cd_flat_order* cd_flat_order_at(int i);

// Each order is made, proved safe and counted; among the cheapest the one that threads can share best. Returns the row
// of the table, or -1 without memory.
int cd_flat_order_choose(const cd_flat_graph* graph, const cd_block_pattern* pattern, int* order, cd_block_cost* cost);
