// SPDX-License-Identifier: BSD-3-Clause
// Velocity jumps: a driver function changes its rate discontinuously, or a point passes a corner. The constraints
// react with an impulse p,
//
//   M (v+ - v-) = J'p,     cdot(v+) = 0
//
// which is a projection of the velocities in the mass metric at the same configuration.
#pragma once

#include "simulation/ode/ode_system.h"

// Apply the impulse at x, with the constraints as they are behind the jump. *energy_gain [J] is added to the work.
cardan_status cd_apply_impulse(cd_ode_system* system, cd_ode_state* x, double* energy_gain, cardan_report* report);
