// SPDX-License-Identifier: BSD-3-Clause
// Where formulas jump.
#pragma once

#include "expression/graph.h"

// An operation whose value jumps: sign, comparisons, floor, ceil. It does where above - below is zero (without `below`:
// where above is; floor and ceil: at whole numbers). mod wraps: it jumps where above/below passes a whole number, and
// goes on in between.
typedef struct cd_formula_discontinuity {
    cd_node node, above, below;
    bool    is_modulo, at_integers; // mod; floor and ceil
} cd_formula_discontinuity;

// Those among the operations that a node needs: how many there are, of which the first `room` are given; -1 without
// memory.
int cd_formula_discontinuities(const cd_graph* graph, cd_node root, int capacity,
                               cd_formula_discontinuity* discontinuity);
