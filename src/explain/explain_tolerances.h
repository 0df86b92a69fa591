// SPDX-License-Identifier: BSD-3-Clause
// Tolerances of messages: unit, the quantity that is compared with it, and the reason for the value. They decide which
// cause is named, never results.
#pragma once

// [units] Violation: a smaller one counts as satisfied; assembly leaves a larger one only where no configuration
// satisfies the constraints.
static const double cd_visible_violation = 1e-6;
// [-] Difference of two violations, or shares of constraints, relative to them: equal but for round-off; the first
// constraint is named.
static const double cd_equal_share_tolerance = 1e-6;
// [-] Power of a driver relative to the largest: drivers with less are not named.
static const double cd_significant_power_share = 0.01;
// [-] Entry of the combination of inconsistent rows relative to the largest, and change of its gamma with velocities: a
// smaller one is not involved.
static const double cd_significant_gamma_share = 1e-4;
// [-] The combination relative to gamma: a smaller one is round-off of singular values.
static const double cd_gamma_roundoff = 1e-9;
// [-] Part of a motion relative to the motion: a smaller one is round-off, amplified by small singular values or
// pivots.
static const double cd_explained_motion_roundoff = 1e-6;
// [-] Part of a motion that inertia and constraints determine: where the integrator stops, it may be this large.
static const double cd_nearly_undetermined_pivot = 1e-3;
// [-] Component of a direction relative to its length, or difference of two: a smaller one is round-off.
static const double cd_direction_component_roundoff = 1e-9;
// [-] Ratio of masses or moments of inertia: a smaller one leaves six digits of a double for the solve.
static const double cd_max_mass_ratio = 1e10;
