// SPDX-License-Identifier: BSD-3-Clause
// Tolerances of rays.
#pragma once

// Error of the distance of a ray from a rounded shape relative to its size, and the largest number of Newton steps.
static const double cd_ray_convergence = 1e-15;
enum { CD_RAY_ITERATIONS = 100 };
// Round-off of the interval of a ray in a box, relative to the distance.
static const double cd_ray_slack = 1e-14;
