// SPDX-License-Identifier: BSD-3-Clause
// Mobility of a point of a body (point_mobility.c).
#pragma once

#include "dynamics/data.h"

// Compute W (3 x 3, row major, world axes) of a point, given in the frame of its link, with the valid factor of the
// state.
cardan_status cd_point_mobility(cardan_data* d, int link, const double point[3], double W[9]);
// Largest eigenvalue of a symmetric positive semidefinite matrix (3 x 3).
double cd_largest_eigenvalue_3x3(const double W[9]);
