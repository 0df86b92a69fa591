// SPDX-License-Identifier: BSD-3-Clause
// Settings of a run: validation and defaults.
#pragma once

#include "simulation/ode/ode_system.h"

// Default stabilization of an integrator: "none" for regularized ones, else "projection".
int cd_default_stabilization(int integrator);

// Return CARDAN_BAD_USAGE, reported, if a setting is invalid; else *full is `run` with all defaults filled in.
cardan_status cd_settings_complete(const cardan_run_settings* run, cardan_run_settings* full, cardan_report* report);
// Check settings that depend on the model: the stop condition is a formula of its description.
cardan_status cd_settings_check(const cardan_data* data, const cardan_run_settings* run, cardan_report* report);

enum { CD_WINDOW_STEPS_MIN = 5 }; // smallest window of regularized methods if the output interval is short

// [s] Length of the run; of one without end a length that stands for it wherever settings are relative to the length.
double cd_run_span(const cardan_run_settings* run);
// Step [s] of fixed-step methods: divides the interval evenly, at most the step set.
double cd_fixed_step_length(const cardan_run_settings* run);
// End of a step from t that is longer than the output interval, at most t_max; equal to a sample time if they differ
// by round-off only.
double cd_long_step_end(const cardan_run_settings* run, double t, double t_max);

// Index of the last sample, and the time of sample k: start + k * output_interval, the last one at end.
long   cd_last_sample(const cardan_run_settings* run);
double cd_sample_time(const cardan_run_settings* run, long k);
