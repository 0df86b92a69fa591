// SPDX-License-Identifier: BSD-3-Clause
// Functions of a graph as compiled code, for many points at once.
#pragma once

#include "expression/graph.h"

typedef struct cd_compiled_functions cd_compiled_functions;

// Outputs of one function; its name is a word.
typedef struct cd_function_outputs {
    char           name[32];
    int            count;
    const cd_node* node;
} cd_function_outputs;

// n points, no more than the block they were opened with: input i of point s stands at x[i * block + s], output i at
// y[i * block + s].
typedef void (*cd_batch_function)(long n, const double* x, double* y);

typedef struct cd_compiled_functions_info {
    long   operations;   // of all functions
    double compile_time; // [s] that it took, now or when it was made
    bool   was_cached;
} cd_compiled_functions_info;

// Print, then take from the cache or compile. CARDAN_UNSUPPORTED and a sentence where there is no compiler or it fails.
// The graph is not needed afterwards.
cardan_status     cd_compiled_functions_open(const cd_graph* graph, int ninput, int block_size, int nfunction,
                                             const cd_function_outputs* function, cd_compiled_functions** functions,
                                             cd_compiled_functions_info* info, cardan_report* report);
void              cd_compiled_functions_close(cd_compiled_functions* functions);
cd_batch_function cd_compiled_functions_at(const cd_compiled_functions* functions, int i);
