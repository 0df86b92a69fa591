// SPDX-License-Identifier: BSD-3-Clause
// Quantities of a simulation object for viewers.
#pragma once

#include <cardan/simulate.h>

// Smallest singular value of the constraint Jacobian at the last accelerations, relative to its maximum since the start;
// 1 without constraints.
double cd_simulation_relative_sigma(const cardan_simulation* simulation);
