// SPDX-License-Identifier: BSD-3-Clause
// Sparse Jacobians and Hessians of traced functions, as nodes of their graph: entries with their rows and columns. A
// tape of the entries (cd_tape_create(graph, count, value)) evaluates them; printers print them like any other outputs.
//
// Time and memory go with what is built and with the nodes reached, per 64 directions: a million nodes are no matter.
#pragma once

#include "expression/graph.h"

// Entries row by row, columns ascending. Those that are zero whatever the inputs are not there.
typedef struct cd_sparse {
    int      rows, columns, count, capacity;
    int *    row, *column; // (count)
    cd_node* value;        // (count)
} cd_sparse;

void cd_sparse_release(cd_sparse* sparse);

typedef enum cd_sweep {
    CD_SWEEP_CHEAPER, // of the two, by the nodes each would visit
    CD_SWEEP_FORWARD, // once per column
    CD_SWEEP_REVERSE, // once per row
} cd_sweep;

// Directions to differentiate along: direction d moves the inputs of seeds first[d] .. first[d+1]-1 at their rates.
// Quaternions are moved along their velocities this way.
typedef struct cd_directions {
    int            count;
    const int*     first; // (count + 1)
    const cd_seed* seed;
} cd_directions;

// J[i][d] = rate of node i along direction d. A node may be CD_NO_NODE: 0.
cardan_status cd_jacobian_along(cd_graph* graph, int nnode, const cd_node* node, cd_directions along, cd_sweep sweep,
                                cd_sparse* J);
// J[i][j] = d node i / d input j of the list.
cardan_status cd_jacobian_of(cd_graph* graph, int nnode, const cd_node* node, int ninput, const int* input,
                             cd_sparse* J);
// H[i][j] = second derivatives of sum of weight(k) node(k), lower triangle. `weight` (nnode) are nodes, mostly inputs
// of their own; NULL: all one.
cardan_status cd_hessian_of(cd_graph* graph, int nnode, const cd_node* node, const cd_node* weight, int ninput,
                            const int* input, cd_sparse* H);
// Inputs replaced by nodes (the rates of the seeds), in all of `node`, in place. What replaces them is not looked into.
cardan_status cd_replace_inputs(cd_graph* graph, int nnode, cd_node* node, int nseed, const cd_seed* by);
