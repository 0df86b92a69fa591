// SPDX-License-Identifier: BSD-3-Clause
// Tolerances of forces.
#pragma once

// [-] Squared sine between x of the first marker and z of the second of a torsion spring: its angle is not determined
// below, and its moment is zero.
static const double cd_torsion_axis_sine_sq = 1e-20;
// [rad^2] Squared rotation: series below, whose first omitted term is smaller than DBL_EPSILON.
static const double cd_moment_series_angle_sq = 1e-6;
// [m] Penetration in traced code below which the force of a compliant contact is zero; far below any length.
static const double cd_traced_penetration_floor = 1e-30;
