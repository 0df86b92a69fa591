// SPDX-License-Identifier: BSD-3-Clause
// The functions that formulas may call, built from the operations of the graph.
#pragma once

#include "expression/graph.h"

enum { CD_CALL_ARGUMENTS_MAX = 32 }; // most arguments of one call

#define CD_PI 3.14159265358979323846

// Row of a function by name, -1 if there is none.
int cd_function_find(const char* name);
// False if `count` arguments are wrong for it, with a sentence in `why`.
bool cd_function_check_arguments(int function, int count, char* reason, size_t size);
// The call as a node; CD_NO_NODE without memory.
cd_node cd_function_build(int function, cd_graph* graph, int count, const cd_node* argument);
