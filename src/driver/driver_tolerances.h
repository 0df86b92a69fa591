// SPDX-License-Identifier: BSD-3-Clause
// Tolerances of driver functions.
#pragma once

// [rad, m; times 1 + the value] Jump of a value or rate: a smaller one is round-off of the driver function.
static const double cd_driver_jump_roundoff = 1e-9;
// [s; times the time above 1 s] Distance from a jump at which the values on both sides of it are evaluated: far above
// the round-off of the time, and short compared with any motion.
static const double cd_driver_jump_neighbourhood = 1e-12;
// [DBL_EPSILON max(1, t)] Half width of a velocity jump: round-off of times that are computed by formulas.
static const double cd_driver_jump_half_width = 64;
// [-] Length of a rod relative to its largest length so far: a run ends where a driver makes it shorter, because the
// direction of a rod of length zero is not determined.
static const double cd_min_rod_ratio = 1e-4;
