// SPDX-License-Identifier: BSD-3-Clause
// Solution of M a + J'lambda = r, J a = gamma and of other right-hand sides by the formulation of the data.
#pragma once

#include "dynamics/data.h"

// Factorize with the formulation at the state unless the factor is valid.
cardan_status cd_update_factor(cardan_data* d, cd_solve_info* info);
// Solve with the existing factor for the right-hand sides r (nv) and s (solver_rows.nrow): x (nv) and multipliers y.
cardan_status cd_solve_with_factor(cardan_data* d, const double* r, const double* s, double* x, double* y,
                                   cd_solve_info* info);
// Solve M dx + J'y = 0, J dx = s (solver_rows.nrow) for dx (nv) with the existing factor. Rows that this factor
// treats as redundant keep their residual. Returns CARDAN_NOT_FINITE if dx is not finite.
cardan_status cd_min_norm_correction(cardan_data* d, const double* s, double* dx);
// Solve for accelerations a (nv) and d->lambda with the existing factor; also for the position correction if it is
// requested and the formulation offers it.
cardan_status cd_solve_accelerations(cardan_data* d, double* a, cd_solve_info* info);
// The same, with the factorization if none is valid; fused if the formulation offers that.
cardan_status cd_factor_and_solve(cardan_data* d, double* a, cd_solve_info* info);
