// SPDX-License-Identifier: BSD-3-Clause
// Projection near a singular configuration (near_singular_projection.c).
#pragma once

#include "dynamics/data.h"

// Project the state onto the constraints near a singular configuration, to round-off, without changing the branch.
cardan_status cd_project_near_singular(cardan_data* d);
