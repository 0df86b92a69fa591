// SPDX-License-Identifier: BSD-3-Clause
// Table of safe elimination orders for maximal coordinates, and choice of the cheapest by counting operations. To add
// one, write src/formulation/maximal/ordering/ordering_<name>.c and add an entry to orderings.def.
#pragma once

#include "math/block_ldl/block_pattern.h"
#include "formulation/maximal/ordering/ordering_safety.h"

typedef enum cd_ordering_status {
    CD_ORDERING_OK,
    CD_ORDERING_TOO_COSTLY, // too expensive to compute; another order is used
    CD_ORDERING_NO_MEMORY,
} cd_ordering_status;

typedef struct cd_ordering {
    const char* name;
    const char* summary;
    // Compute an order (nblock). `pattern` has the blocks of the graph.
    cd_ordering_status (*compute)(const cd_kkt_graph* graph, const cd_block_pattern* pattern, int* order);
    // The order does not follow the mechanism. With penalty terms, and in large mechanisms, it loses digits (ladders of
    // slender rods: all digits from some hundred cells on; rope ladders from ten thousand), whereas orders along the
    // mechanism keep them.
    bool is_nonlocal;
    // Rows must be independent in long mechanisms: the accumulated round-off exceeds the pivots of redundant rows.
    bool needs_independent_rows;
} cd_ordering;

int                cd_ordering_count(void);
const cd_ordering* cd_ordering_at(int i);

// Compute all orders, check their safety and count their operations; choose the one with the shortest critical path
// among the cheapest. Returns the index in the table, or -1 if memory is exhausted.
int cd_ordering_choose(const cd_kkt_graph* graph, const cd_block_pattern* pattern, int* order, cd_block_cost* cost);
