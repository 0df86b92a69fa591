// SPDX-License-Identifier: BSD-3-Clause
// Constraints that are switched off (constraint_enable.c).
#pragma once

#include "dynamics/data.h"

// Set values, rates, rows and gamma of disabled constraints to zero.
void cd_zero_disabled_values(cardan_data* d);
void cd_zero_disabled_rows(cardan_data* d);
