// SPDX-License-Identifier: BSD-3-Clause
#include "optimize/nlp/graph_copy.h"

#include "core/memory.h"
#include "expression/graph_internal.h"

#include <stdlib.h>

// Copy one node, with copies of its operands.
static cd_node copy_node(cd_graph* to, const cd_graph* from, const cd_subgraph_entry* at, const cd_node* input,
                         const cd_node* copy)
{
    const cd_node      node      = at->node;
    const cd_operation operation = cd_node_operation(from, node);
    if (operation == CD_CONSTANT) return cd_constant(to, cd_node_value(from, node));
    if (operation == CD_INPUT) return input[cd_node_index(from, node)];
    if (operation == CD_TABLE) {
        const int table = cd_graph_borrow_table(to, from, cd_node_index(from, node));
        return table < 0 ? CD_NO_NODE
                         : cd_table_lookup(to, table, copy[at->operand[0]], cd_node_data_at(from, node)->derivative);
    }
    if (operation == CD_IF) return cd_if(to, copy[at->operand[0]], copy[at->operand[1]], copy[at->operand[2]]);
    if (cd_operation_operands(operation) == 1) return cd_unary(to, operation, copy[at->operand[0]]);
    return cd_binary(to, operation, copy[at->operand[0]], copy[at->operand[1]]);
}

bool cd_graph_copy_substituted(cd_graph* to, const cd_graph* from, int count, const cd_node* root, const cd_node* input,
                               cd_node* result)
{
    cd_subgraph subgraph;
    if (count == 0) return true;
    if (!cd_subgraph_collect(&subgraph, from, count, root)) return false;
    cd_node* copy = cd_allocate((size_t)subgraph.count + 1, sizeof *copy);
    bool     ok   = copy != NULL;
    for (int i = 0; ok && i < subgraph.count; ++i) {
        copy[i] = copy_node(to, from, &subgraph.entry[i], input, copy);
        ok      = copy[i] >= 0;
    }
    for (int i = 0; ok && i < count; ++i) result[i] = copy[cd_subgraph_find(&subgraph, root[i])];
    free(copy);
    cd_subgraph_release(&subgraph);
    return ok;
}
