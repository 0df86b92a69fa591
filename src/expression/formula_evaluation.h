// SPDX-License-Identifier: BSD-3-Clause
// Formulas and tables over `real`: the interface between user formulas and the recursions, for all number types.
#pragma once

#include "expression/graph.h"
#include "math/number.h"

// Value of a table at x: derivative 0, 1, 2, ..., or -1 for the integral from its first point.
real cd_table_evaluate_real(const cd_graph* graph, int table, int derivative, real x);
// Evaluate the outputs of a tape; `work`: cd_tape_work numbers.
void cd_tape_run_real(const cd_tape* tape, const real* input, real* work, real* output);
