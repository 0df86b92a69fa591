// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of forward dynamics in two steps, for cardan_derivatives_of_forward_dynamics.
#pragma once

#include "dynamics/data.h"
#include "dynamics/failure.h"

#include <cardan/derivatives.h>

cardan_data* cd_derivatives_data(cardan_derivatives* w);
// Accelerations at the state; then these (a, or NULL) and their derivatives.
cardan_status cd_derivatives_accelerate(cardan_derivatives* w, cd_failure* failure);
cardan_status cd_derivatives_of_accelerations(cardan_derivatives* w, double* a,
                                              const cardan_forward_dynamics_jacobians* jacobians);
