// SPDX-License-Identifier: BSD-3-Clause
// What excuses rows that accelerations do not satisfy (residual_tolerance.c).
#pragma once

#include "dynamics/rank/acceleration_residual.h"

// The error is more than rounding of what the rows are the sum of.
bool cd_residual_is_significant(const cd_acceleration_residual* residual);
// It is no more than what cancelled before, or than gaps of the state, make of rows that agree on the constraints.
bool cd_residual_is_explained(cardan_data* d, const cd_acceleration_residual* residual);

// Loops that nobody puts back together drift apart, until rows that repeat each other contradict by more than can be
// overlooked. That is no fault of the model.
bool          cd_residual_is_drift(cardan_data* d, const cd_acceleration_residual* residual);
cardan_status cd_fail_drift(cardan_data* d, int row, cardan_report* report);
