// SPDX-License-Identifier: BSD-3-Clause
// Sparse Jacobians and Hessians of traced functions, as nodes of their graph: entries with their rows and columns. A
// tape of the entries (cd_tape_create(graph, count, value)) evaluates them; printers print them like other outputs.
//
// Time and memory are proportional to the created nodes and to the size of the subgraph, per 64 directions; graphs of a
// million nodes are feasible.
#pragma once

#include "expression/graph.h"

// Entries by rows, columns ascending; structural zeros are not stored.
typedef struct cd_symbolic_matrix {
    int      nrow, ncolumn, count, capacity;
    int *    row, *column; // (count)
    cd_node* value;        // (count)
} cd_symbolic_matrix;

void cd_symbolic_matrix_release(cd_symbolic_matrix* sparse);

typedef enum cd_ad_mode {
    CD_AD_CHEAPER, // the cheaper one, by the number of visited nodes
    CD_AD_FORWARD, // one sweep per column
    CD_AD_REVERSE, // one sweep per row
} cd_ad_mode;

// Directions of differentiation: direction d moves the inputs of seeds first[d] .. first[d+1]-1 at their rates.
// Quaternions are varied along their angular velocities this way.
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
// H[i][j] = second derivatives of sum of weight(k) node(k), lower triangle. `weight` (nnode): nodes, usually separate
// inputs; NULL: all one.
cardan_status cd_symbolic_hessian(cd_graph* graph, int nnode, const cd_node* node, const cd_node* weight, int ninput,
                                  const int* input, cd_symbolic_matrix* H);
// Substitute nodes (the rates of the seeds) for inputs in all of `node`, in place. The substituted nodes are not
// searched.
cardan_status cd_graph_substitute_inputs(cd_graph* graph, int nnode, cd_node* node, int nseed, const cd_seed* by);
