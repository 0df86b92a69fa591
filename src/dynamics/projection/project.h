// SPDX-License-Identifier: BSD-3-Clause
// Projection of positions and velocities onto the constraints (project.c).
#pragma once

#include "dynamics/data.h"
#include "dynamics/failure.h"

#include <cardan/assemble.h>

// As cardan_data_project. The failure is defined if the result is not CARDAN_OK.
cardan_status cd_project(cardan_data* d, const cardan_projection_options* options, double* q, double* v,
                         cardan_projection_result* result, cd_failure* failure);
// After cd_accelerate at a state that nearly satisfies the constraints: correct the positions q (nq) and the
// velocities v (nv; or NULL) once with the factor of that solve. Returns false if one correction is not sufficient.
bool cd_project_with_current_factor(cardan_data* d, double* q, double* v);
