// SPDX-License-Identifier: BSD-3-Clause
// Formulas and tables over `real`: where what users write enters the recursions, whatever their numbers are.
#pragma once

#include "expression/graph.h"
#include "math/number.h"

// Value of a table at x: derivative 0, 1, 2, ..., or -1 for the integral from its first point.
real cd_table_evaluate_real(const cd_graph* graph, int table, int derivative, real x);
// The outputs of a tape; `work` has room for cd_tape_work numbers.
void cd_tape_run_real(const cd_tape* tape, const real* input, real* work, real* output);
