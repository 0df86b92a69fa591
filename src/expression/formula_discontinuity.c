// SPDX-License-Identifier: BSD-3-Clause
// Discontinuities of a formula: operations with a few discrete values, selected by the sign of a difference of two
// operands. abs, min and max are continuous with discontinuous derivatives and are omitted: the integrated quantity
// stays continuous.
#include "expression/formula_discontinuity.h"

#include "expression/graph_internal.h"

static bool is_discontinuous(int operation)
{
    return operation == CD_SIGN || operation == CD_LESS || operation == CD_LESS_EQUAL || operation == CD_FLOOR ||
           operation == CD_CEIL || operation == CD_MOD;
}

int cd_formula_discontinuities(const cd_graph* graph, cd_node root, int capacity,
                               cd_formula_discontinuity* discontinuity)
{
    cd_subgraph subgraph;
    int         n = 0;
    if (!cd_subgraph_collect(&subgraph, graph, 1, &root)) return -1;
    for (int i = 0; i < subgraph.count; ++i) {
        const cd_node       node = subgraph.entry[i].node;
        const cd_node_data* item = cd_node_data_at(graph, node);
        if (!is_discontinuous(item->operation)) continue;
        if (n < capacity)
            discontinuity[n] = (cd_formula_discontinuity){
                .node        = node,
                .above       = item->operand[0],
                .below       = cd_operation_operands(item->operation) > 1 ? item->operand[1] : CD_NO_NODE,
                .is_modulo   = item->operation == CD_MOD,
                .at_integers = item->operation == CD_FLOOR || item->operation == CD_CEIL};
        ++n;
    }
    cd_subgraph_release(&subgraph);
    return n;
}
