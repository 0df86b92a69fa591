// SPDX-License-Identifier: BSD-3-Clause
// Solution of M a + J'lambda = r, J a = gamma and of other right-hand sides by the formulation of the data.
#pragma once

#include "dynamics/data.h"

// Update the policy of the data, with the settings of the callers, to the rank test that the history of solves requires.
const cd_solve_policy* cd_update_policy(cardan_data* d);
// Factorize with this policy at the state unless the factor is valid.
cardan_status cd_update_factor(cardan_data* d, cd_solve_info* info);
// Solve M a + J'lambda = r, J a = gamma with the existing factor, for other right-hand sides than those of the state.
cardan_status cd_solve_with_factor(cardan_data* d, const double* r, const double* gamma, double* a, double* lambda,
                                   cd_solve_info* info);
// Right-hand side d->solve.row_rhs of a correction: s = -c, or -cdot at velocity level; 0 for rotor rows.
void cd_set_correction_rhs(cardan_data* d, bool velocity_level);
// Solve M dx + J'y = 0, J dx = s with the existing factor; without refinement if the formulation offers that.
cardan_status cd_solve_correction(cardan_data* d, const double* s, double* dx);
// The same with a check. Rows that this factor
// treats as redundant keep their residual. Returns CARDAN_NOT_FINITE if dx is not finite.
cardan_status cd_min_norm_correction(cardan_data* d, const double* s, double* dx);
// Solve for accelerations a (nv) and d->lambda with the existing factor; also for the position correction if it is
// requested and the formulation offers it.
cardan_status cd_solve_accelerations(cardan_data* d, double* a, cd_solve_info* info);
// The same, with the factorization if none is valid; fused if the formulation offers that.
cardan_status cd_factor_and_solve(cardan_data* d, const cd_solve_policy* policy, double* a, cd_solve_info* info);
