// SPDX-License-Identifier: BSD-3-Clause
// What excuses rows that accelerations do not satisfy (row_excuse.c).
#pragma once

#include "dynamics/row_error.h"

// The error is more than rounding of what the rows are the sum of.
bool cd_contradicts(const cd_row_miss* miss);
// It is no more than what cancelled before, or than gaps of the state, make of rows that agree on the constraints.
bool cd_is_explained(cardan_data* d, const cd_row_miss* miss);

// Loops that nobody puts back together drift apart, until rows that repeat each other contradict by more than can be
// overlooked. That is no fault of the model.
bool          cd_is_drift(cardan_data* d, const cd_row_miss* miss);
cardan_status cd_fail_drifted(cardan_data* d, int row, cardan_report* report);
