// SPDX-License-Identifier: BSD-3-Clause
// Formulas of one graph in another, with nodes for their inputs.
#pragma once

#include "expression/graph.h"

// result (count) = root (count) of `from`, input i replaced by the node input[i] of `to`. False without memory.
bool cd_graph_substitute(cd_graph* to, const cd_graph* from, int count, const cd_node* root, const cd_node* input,
                         cd_node* result);
