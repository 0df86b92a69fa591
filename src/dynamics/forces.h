// SPDX-License-Identifier: BSD-3-Clause
// Forces at the state (forces.c).
#pragma once

#include "dynamics/data.h"

// Compute signals, formulas, efforts and wrenches at the state if they are stale.
void cd_update_forces(cardan_data* d);
// Compute bias force and right-hand side r at the state.
void cd_update_rhs(cardan_data* d);
// Evaluate the inputs of the formulas.
void cd_evaluate_signals(cardan_data* d, double* signal);
