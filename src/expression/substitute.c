// SPDX-License-Identifier: BSD-3-Clause
// Substitution of inputs: expressions are rebuilt from their subgraph, operands first, so that all simplifications are
// applied again.
#include "expression/graph_internal.h"
#include "expression/symbolic_jacobian.h"

#include "core/memory.h"

#include <stdlib.h>

static cd_node rebuild_node(cd_graph* g, const cd_subgraph_entry* at, const cd_node* now)
{
    const cd_node_data item = *cd_node_data_at(g, at->node); // a copy: the graph grows
    bool               same = true;
    for (int i = 0; i < cd_operation_operands(item.operation); ++i)
        same = same && now[at->operand[i]] == cd_node_data_operand(&item, i);
    if (same) return at->node;
    switch (cd_operation_operands(item.operation)) {
    case 1:
        return item.operation == CD_TABLE ? cd_table_lookup(g, item.operand[1], now[at->operand[0]], item.derivative)
                                          : cd_unary(g, item.operation, now[at->operand[0]]);
    case 2:
        return cd_binary(g, item.operation, now[at->operand[0]], now[at->operand[1]]);
    default:
        return cd_if(g, now[at->operand[0]], now[at->operand[1]], now[at->operand[2]]);
    }
}

cardan_status cd_graph_substitute_inputs(cd_graph* graph, int nnode, cd_node* node, int nseed, const cd_seed* by)
{
    cd_subgraph subgraph;
    if (!cd_subgraph_collect(&subgraph, graph, nnode, node)) return CARDAN_NO_MEMORY;
    cd_node* now = cd_allocate((size_t)subgraph.count + 1, sizeof *now);
    bool     ok  = now != NULL;
    for (int i = 0; ok && i < subgraph.count; ++i) now[i] = subgraph.entry[i].node;
    for (int k = 0; ok && k < nseed; ++k) {
        const cd_node x        = cd_graph_find_input(graph, by[k].input);
        const int     position = x < 0 ? -1 : cd_subgraph_find(&subgraph, x);
        if (position >= 0) now[position] = by[k].rate;
    }
    for (int i = 0; ok && i < subgraph.count; ++i) {
        if (cd_operation_operands(cd_node_operation(graph, subgraph.entry[i].node)) > 0)
            now[i] = rebuild_node(graph, &subgraph.entry[i], now);
        ok = now[i] >= 0;
    }
    for (int i = 0; ok && i < nnode; ++i)
        if (node[i] >= 0) node[i] = now[cd_subgraph_find(&subgraph, node[i])];
    free(now);
    cd_subgraph_release(&subgraph);
    return ok ? CARDAN_OK : CARDAN_NO_MEMORY;
}
