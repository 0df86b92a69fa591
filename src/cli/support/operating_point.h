// SPDX-License-Identifier: BSD-3-Clause
// Operating point of `linearize` and `modes`: the start state, or an equilibrium.
#pragma once

#include "cli/support/loaded_model.h"

// Open the mechanism and its instance at the operating point that the options select. Prints errors and closes both on
// failure. Returns the exit code.
int cd_operating_point_open(cd_loaded_model* mechanism, cd_model_instance* c, const cd_options* options);
// Add a note if the state has velocities, or accelerations; then print the report.
void cd_operating_point_warn(cd_loaded_model* mechanism, double speed, double acceleration);
// Default formulation of linear analyses: dense; reduction for models with many constraint rows.
int cd_default_analysis_formulation(const cd_loaded_model* mechanism);
