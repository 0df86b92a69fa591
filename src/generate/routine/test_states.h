// SPDX-License-Identifier: BSD-3-Clause
// States in general position, the same at every call: test states for the generated code, and one trace state.
#pragma once

#include "generate/print/syntax.h"

// Assign the input layout of a unit, with `nweight` weights, and fill the inputs of the test states and, behind them,
// of the trace state. Returns false if memory runs out.
bool cd_test_states_create(cd_code_unit* unit, int nweight);
// Assemble all states. If requested forms are not finite at a state, states nearer to the start are drawn, and the one
// with the fewest such forms is used.
cardan_status cd_test_states_assemble(const cd_code_unit* unit, cd_runtime_reference* reference, const char* forms,
                                      cardan_report* report);
