// SPDX-License-Identifier: BSD-3-Clause
// Velocities that jump: a law of motion changes its rate in an instant, or a point comes round a corner. Constraints
// answer with a blow p,
//
//   M (v+ - v-) = J'p,     cdot(v+) = 0
//
// which is a projection of velocities in the metric of the mass matrix at this very pose.
#pragma once

#include "simulation/ode/ode_system.h"

// x, with constraints as they are behind it, is struck; *gained: energy, which is added to the work done.
cardan_status cd_apply_impulse(cd_ode_system* system, cd_ode_state* x, double* energy_gain, cardan_report* report);
