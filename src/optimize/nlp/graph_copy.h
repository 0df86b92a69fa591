// SPDX-License-Identifier: BSD-3-Clause
// Copying of expressions from one graph to another, with substitution of inputs.
#pragma once

#include "expression/graph.h"

// Copy root (count) of `from` to result (count), input i replaced by the node input[i] of `to`.
// Returns false without memory.
bool cd_graph_copy_substituted(cd_graph* to, const cd_graph* from, int count, const cd_node* root, const cd_node* input,
                               cd_node* result);
