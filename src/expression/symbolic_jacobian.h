// SPDX-License-Identifier: BSD-3-Clause
// Sparse Jacobians and Hessians of traced functions, as nodes of their graph: entries with their rows and columns. A
// tape of the entries (cd_tape_create(graph, count, value)) evaluates them; printers print them like any other outputs.
//
// Time and memory go with what is built and with the nodes reached, per 64 directions: a million nodes are no matter.
#pragma once

#include "expression/graph.h"

// Entries row by row, columns ascending. Those that are zero whatever the inputs are not there.
typedef struct cd_symbolic_matrix {
    int      nrow, ncolumn, count, capacity;
    int *    row, *column; // (count)
    cd_node* value;        // (count)
} cd_symbolic_matrix;

void cd_symbolic_matrix_release(cd_symbolic_matrix* sparse);

typedef enum cd_ad_mode {
    CD_AD_CHEAPER, // of the two, by the nodes each would visit
    CD_AD_FORWARD, // once per column
    CD_AD_REVERSE, // once per row
} cd_ad_mode;

// Directions to differentiate along: direction d moves the inputs of seeds first[d] .. first[d+1]-1 at their rates.
// Quaternions are moved along their velocities this way.
typedef struct cd_directions {
    int            count;
    const int*     first; // (count + 1)
    const cd_seed* seed;
} cd_directions;

// J[i][d] = rate of node i along direction d. A node may be CD_NO_NODE: 0.
cardan_status cd_symbolic_jacobian_along(cd_graph* graph, int nnode, const cd_node* node, cd_directions along,
                                         cd_ad_mode mode, cd_symbolic_matrix* J);
// J[i][j] = d node i / d input j of the list.
cardan_status cd_symbolic_jacobian(cd_graph* graph, int nnode, const cd_node* node, int ninput, const int* input,
                                   cd_symbolic_matrix* J);
// H[i][j] = second derivatives of sum of weight(k) node(k), lower triangle. `weight` (nnode) are nodes, mostly inputs
// of their own; NULL: all one.
cardan_status cd_symbolic_hessian(cd_graph* graph, int nnode, const cd_node* node, const cd_node* weight, int ninput,
                                  const int* input, cd_symbolic_matrix* H);
// Inputs replaced by nodes (the rates of the seeds), in all of `node`, in place. What replaces them is not looked into.
cardan_status cd_graph_substitute_inputs(cd_graph* graph, int nnode, cd_node* node, int nseed, const cd_seed* by);
