// SPDX-License-Identifier: BSD-3-Clause
// Safe elimination orders for maximal coordinates, as a table, and the choice of the cheapest by counting.
// To add one: write src/formulation/order_<name>.c and add its row to orderings.def.
#pragma once

#include "math/block_ldl/block_pattern.h"
#include "formulation/maximal/ordering/order_safety.h"

typedef enum cd_ordering_status {
    CD_ORDERING_OK,
    CD_ORDERING_TOO_COSTLY, // it would be dear: others will do
    CD_ORDERING_NO_MEMORY,  // no memory
} cd_ordering_status;

typedef struct cd_ordering {
    const char* name;
    const char* summary;
    // `pattern` has the blocks of the graph; order: room for all of them.
    cd_ordering_status (*compute)(const cd_kkt_graph* graph, const cd_block_pattern* pattern, int* order);
    // Jumps about in the mechanism. Where bodies lean on their constraints, and in large mechanisms, that loses digits
    // (ladders of slender rods: all of them from some hundred cells on; rope ladders from ten thousand), while orders
    // that walk along it keep them.
    bool is_nonlocal;
    // Rows must be independent, where mechanisms are long: pivots of rows that repeat others drown in rounding that
    // adds up.
    bool needs_independent_rows;
} cd_ordering;

int                cd_ordering_count(void);
const cd_ordering* cd_ordering_at(int i);

// Each order is made, proved safe and counted; among the cheapest the one that threads can share best. Returns the row
// of the table, or -1 without memory.
int cd_ordering_choose(const cd_kkt_graph* graph, const cd_block_pattern* pattern, int* order, cd_block_cost* cost);
