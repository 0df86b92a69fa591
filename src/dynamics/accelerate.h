// SPDX-License-Identifier: BSD-3-Clause
// One evaluation of the equations of motion (accelerate.c).
#pragma once

#include "dynamics/data.h"

// Accelerations a (nv) and multipliers d->lambda at the state. The result is not checked; callers that need that use
// cd_accelerate_robust (rank/robust_solve.h). info: initialized by the caller.
cardan_status cd_accelerate(cardan_data* d, const cd_solve_policy* policy, double* a, cd_solve_info* info);
