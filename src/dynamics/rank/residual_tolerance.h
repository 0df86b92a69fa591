// SPDX-License-Identifier: BSD-3-Clause
// Conditions under which a residual of the rows is accepted (residual_tolerance.c).
#pragma once

#include "dynamics/rank/acceleration_residual.h"

// Whether the residual is larger than the round-off of its terms.
bool cd_residual_is_significant(const cd_acceleration_residual* residual);
// Whether the residual is explained by round-off of cancelled terms, or by the violation of the state.
bool cd_residual_is_explained(cardan_data* d, const cd_acceleration_residual* residual);

// Without stabilization the violation drifts until redundant rows are inconsistent beyond the accepted residual. This
// is no error of the model and is reported as drift.
bool cd_residual_is_drift(cardan_data* d, const cd_acceleration_residual* residual);
