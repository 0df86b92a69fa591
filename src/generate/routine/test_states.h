// SPDX-License-Identifier: BSD-3-Clause
// States in general position, the same every time: those that generated code is tested at, and one to trace at.
#pragma once

#include "generate/print/syntax.h"

// Where arguments stand among the inputs of a sheet, `nweight` weights behind them, and their values; the sample is
// behind the test vectors. False without memory.
bool cd_test_states_create(cd_code_unit* unit, int nweight);
// Their loops closed. Where forms that are asked for are not finite, states are drawn nearer to the start; those with the
// fewest of such forms are left.
cardan_status cd_test_states_assemble(const cd_code_unit* unit, cd_reference* reference, const char* forms,
                                      cardan_report* report);
