// SPDX-License-Identifier: BSD-3-Clause
// Settings of a run: checked, and completed by defaults.
#pragma once

#include "simulation/ode/ode_system.h"

// What keeps loops closed where nobody says it: integrators that do it themselves need nothing.
int cd_default_stabilization(int integrator);

// CARDAN_BAD_USAGE with a sentence where a setting makes no sense; else *full is `run` with nothing left to choose.
cardan_status cd_settings_complete(const cardan_run* run, cardan_run* full, cardan_report* report);
// What depends on the model: the stop condition is a formula of its description.
cardan_status cd_settings_check(const cardan_data* data, const cardan_run* run, cardan_report* report);

enum { CD_WINDOW_STEPS_MIN = 5 }; // steps of methods that regularize, where rows are near each other

// The step [s] that fixed-step methods take: even, and not longer than the one allowed.
double cd_fixed_step_length(const cardan_run* run);
// Where a step from t ends that is longer than the time between rows, `most` at the latest; on a row where rounding
// alone parts them.
double cd_long_step_end(const cardan_run* run, double t, double t_max);

// Index of the last row, and the time of row k: start + k * output, the last at end.
long   cd_last_sample(const cardan_run* run);
double cd_sample_time(const cardan_run* run, long k);
