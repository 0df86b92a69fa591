// SPDX-License-Identifier: BSD-3-Clause
// Projection of positions and velocities onto the constraints (project.c).
#pragma once

#include "dynamics/data.h"
#include "dynamics/failure.h"

#include <cardan/assemble.h>

// As cardan_project. The failure is defined if the result is not CARDAN_OK.
cardan_status cd_project(cardan_data* d, const cardan_projection_options* options, double* q, double* v,
                         cardan_projection_result* result, cd_failure* failure);
