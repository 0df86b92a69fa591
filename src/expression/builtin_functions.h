// SPDX-License-Identifier: BSD-3-Clause
// Built-in functions of formulas, built from the operations of the graph.
#pragma once

#include "expression/graph.h"
#include "math/pi.h"

enum { CD_CALL_ARGUMENTS_MAX = 32 }; // maximum number of arguments of one call

// Index of a function by name, -1 if there is none.
int cd_function_find(const char* name);
// Check the number of arguments; returns false, with a message in `reason`, if it is wrong.
bool cd_function_check_arguments(int function, int count, char* reason, size_t size);
// Build the call as a node; CD_NO_NODE if memory is exhausted.
cd_node cd_function_build(int function, cd_graph* graph, int count, const cd_node* argument);
