// SPDX-License-Identifier: BSD-3-Clause
// Discontinuities of formulas.
#pragma once

#include "expression/graph.h"

// An operation whose value is discontinuous: sign, comparisons, floor, ceil, where above - below is zero (without
// `below`: where above is zero; floor and ceil: at integers). mod is discontinuous where above/below passes an integer,
// and continuous in between.
typedef struct cd_formula_discontinuity {
    cd_node node, above, below;
    bool    is_modulo, at_integers; // mod; floor and ceil
} cd_formula_discontinuity;

// Find the discontinuous operations among those that a node depends on. Returns their number and stores the first
// `capacity`; -1 if memory is exhausted.
int cd_formula_discontinuities(const cd_graph* graph, cd_node root, int capacity,
                               cd_formula_discontinuity* discontinuity);
