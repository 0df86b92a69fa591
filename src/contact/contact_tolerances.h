// SPDX-License-Identifier: BSD-3-Clause
// Tolerances of the collision geometry.
#pragma once

// [rad] A flat part of a surface counts as parallel to the other surface up to this angle: several contact points.
static const double cd_flat_slope = 1e-3;
