// SPDX-License-Identifier: BSD-3-Clause
// Constraints at the state (constraint_update.c).
#pragma once

#include "dynamics/data.h"

// Evaluate the constraints at the state: values and rates; values, rates and J; or values, rates, J and gamma.
void cd_update_constraint_values(cardan_data* d);
void cd_update_constraint_values_and_rows(cardan_data* d); // without gamma, for callers that check the violation first
void cd_update_rows(cardan_data* d);
// Compute rows.gamma_scale if it is 0; used when a row residual seems too large.
void cd_update_gamma_scale(cardan_data* d);
// Compute gamma of n rows from their evaluated equations.
void cd_update_gamma_range(cardan_data* d, int first, int n, const cd_constraint_equations* equations);
// Compute link wrenches, rows and gamma in one outward sweep, a few links at a time, for formulations in tree
// coordinates that take link wrenches one by one (CD_USES_LINK_WRENCHES).
void cd_update_link_wrenches_and_rows(cardan_data* d);
// Position and velocity violation of the state in units of their rows: rad, and length_unit for translations.
// Tolerances on them are independent of the size of the mechanism.
void cd_scaled_violations(cardan_data* d, double* position, double* velocity);
