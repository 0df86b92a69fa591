// SPDX-License-Identifier: BSD-3-Clause
// Accelerations with a check of the result (robust_solve.c).
#pragma once

#include "dynamics/data.h"
#include "dynamics/failure.h"

// Accelerations a (nv) at the state, and the rates of the user states (nstate; or NULL). The multipliers are d->lambda.
// Repeats the solve with another rank test where the rows are not satisfied.
cardan_status cd_accelerate_robust(cardan_data* d, double* a, double* state_rate, cd_failure* failure);
