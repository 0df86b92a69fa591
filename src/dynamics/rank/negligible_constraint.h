// SPDX-License-Identifier: BSD-3-Clause
// Constraints without effect at the state (negligible_constraint.c).
#pragma once

#include "dynamics/data.h"

// Set the rows of constraints whose coefficients are only round-off to zero.
void cd_zero_negligible_constraints(cardan_data* d);
