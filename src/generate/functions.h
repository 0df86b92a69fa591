// SPDX-License-Identifier: BSD-3-Clause
// Functions of a graph as compiled code, for many points at once.
#pragma once

#include "expression/graph.h"

typedef struct cd_functions cd_functions;

// Outputs of one function; its name is a word.
typedef struct cd_outputs {
    char           name[32];
    int            count;
    const cd_node* node;
} cd_outputs;

// n points, no more than the block they were opened with: input i of point s stands at x[i * block + s], output i at
// y[i * block + s].
typedef void (*cd_batch)(long n, const double* x, double* y);

typedef struct cd_functions_facts {
    long   operations; // of all functions
    double compile;    // [s] that it took, now or when it was made
    bool   cached;
} cd_functions_facts;

// Print, then take from the cache or compile. CARDAN_UNSUPPORTED and a sentence where there is no compiler or it fails.
// The graph is not needed afterwards.
cardan_status cd_functions_open(const cd_graph* graph, int ninput, int block, int nfunction, const cd_outputs* function,
                                cd_functions** functions, cd_functions_facts* facts, cardan_report* report);
void          cd_functions_close(cd_functions* functions);
cd_batch      cd_functions_at(const cd_functions* functions, int i);
