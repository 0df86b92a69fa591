// SPDX-License-Identifier: BSD-3-Clause
// Where a formula jumps: operations whose value is one of a few, and which of them is told by where a difference of two
// operands passes zero. abs, min and max have kinks there and are left out: what is integrated stays continuous.
#include "expression/jumps.h"

#include "expression/inside.h"

static bool is_jump(int operation)
{
    return operation == CD_SIGN || operation == CD_LESS || operation == CD_LESS_EQUAL || operation == CD_FLOOR ||
           operation == CD_CEIL || operation == CD_MOD;
}

int cd_jumps(const cd_graph* graph, cd_node root, int room, cd_jump* jump)
{
    cd_reach reach;
    int      n = 0;
    if (!cd_reach_collect(&reach, graph, 1, &root)) return -1;
    for (int i = 0; i < reach.count; ++i) {
        const cd_node  node = reach.list[i].node;
        const cd_item* item = cd_item_at(graph, node);
        if (!is_jump(item->operation)) continue;
        if (n < room)
            jump[n] = (cd_jump){.node  = node,
                                .above = item->operand[0],
                                .below = cd_operation_operands(item->operation) > 1 ? item->operand[1] : CD_NO_NODE,
                                .wraps = item->operation == CD_MOD,
                                .whole = item->operation == CD_FLOOR || item->operation == CD_CEIL};
        ++n;
    }
    cd_reach_release(&reach);
    return n;
}
