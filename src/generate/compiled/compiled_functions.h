// SPDX-License-Identifier: BSD-3-Clause
// Functions of a graph as compiled code that evaluates many points in one call.
#pragma once

#include "expression/graph.h"

typedef struct cd_compiled_functions cd_compiled_functions;

// Outputs of one function; its name must be an identifier.
typedef struct cd_function_outputs {
    char           name[32];
    int            count;
    const cd_node* node;
} cd_function_outputs;

// Evaluate n points, at most block_size of cd_compiled_functions_open: input i of point s is x[i * block_size + s],
// output i is y[i * block_size + s].
typedef void (*cd_batch_function)(long n, const double* x, double* y);

typedef struct cd_compiled_functions_info {
    long   operations;   // of all functions
    double compile_time; // [s] of this compilation, or of that of the cached library
    bool   was_cached;
} cd_compiled_functions_info;

// Print the functions, then load them from the cache or compile them. Fails with CARDAN_UNSUPPORTED and a message if
// there is no compiler or if it fails. The graph is not needed afterwards.
cardan_status     cd_compiled_functions_open(const cd_graph* graph, int ninput, int block_size, int nfunction,
                                             const cd_function_outputs* function, cd_compiled_functions** functions,
                                             cd_compiled_functions_info* info, cardan_report* report);
void              cd_compiled_functions_close(cd_compiled_functions* functions);
cd_batch_function cd_compiled_functions_at(const cd_compiled_functions* functions, int i);
