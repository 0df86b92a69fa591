// SPDX-License-Identifier: BSD-3-Clause
// What commands that linearize share: the mechanism at its start, or at its equilibrium.
#pragma once

#include "cli/support/mechanism.h"

// Opens both as the options say; problems are told, and nothing is left open then. Returns the exit code.
int cd_operating_point_open(cd_mechanism* mechanism, cd_model_instance* c, const cd_options* options);
// Notes that the state moves, or is no equilibrium.
void cd_operating_point_warn(cd_mechanism* mechanism, double speed, double acceleration);
// What analyses solve with where nothing is said: dense, with many loops reduction.
int cd_default_analysis_formulation(const cd_mechanism* mechanism);
