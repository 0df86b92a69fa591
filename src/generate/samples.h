// SPDX-License-Identifier: BSD-3-Clause
// States in general position, the same every time: those that generated code is tested at, and one to trace at.
#pragma once

#include "generate/syntax.h"

// Where arguments stand among the inputs of a sheet, `nweight` weights behind them, and their values; the sample is
// behind the test vectors. False without memory.
bool cd_make_states(cd_sheet* sheet, int nweight);
// Their loops closed. Where forms that are asked for are not finite, states are drawn nearer to the start; those with the
// fewest of such forms are left.
cardan_status cd_place_states(const cd_sheet* sheet, cd_referee* referee, const char* forms, cardan_report* report);
