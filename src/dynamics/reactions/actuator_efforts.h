// SPDX-License-Identifier: BSD-3-Clause
// Efforts of motors (actuator_efforts.c).
#pragma once

#include "dynamics/data.h"

struct cardan_motors;
// Mark the motors that cause motions which the preceding motors do not cause, at the state.
cardan_status cd_find_independent_motors(struct cardan_motors* motors, bool* chosen);
