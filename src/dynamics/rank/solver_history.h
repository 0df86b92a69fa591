// SPDX-License-Identifier: BSD-3-Clause
// Solver history: what the data keep from earlier states and later solves may use. Results are a function of the state
// and of this history; after a reset they are those of new data. Winding numbers belong to the state.
#pragma once

#include "dynamics/data.h"

void cd_solver_history_reset(cardan_data* d);
