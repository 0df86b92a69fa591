// SPDX-License-Identifier: BSD-3-Clause
// Products with the mass matrix and its projection (degrees_of_freedom.c).
#pragma once

#include "dynamics/data.h"

// y (nv) = M x, by inverse dynamics at the state.
void cd_mass_matrix_times(cardan_data* d, const double* x, double* y);
// Constrained response a (nv) to a force r (nv): M a + J'lambda = r, J a = 0. With r = M x it is the mass-orthogonal
// projection of x onto the admissible velocities.
cardan_status cd_constrained_response(cardan_data* d, const double* r, double* a);
