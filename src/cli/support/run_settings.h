// SPDX-License-Identifier: BSD-3-Clause
// Settings of a run, checks of its start, and snapshots of body poses for pictures; shared by the simulating commands.
#pragma once

#include "cli/support/loaded_model.h"

#include <cardan/simulate.h>

// Settings from the options, else the model file, else the defaults. Prints errors; returns the exit code.
int cd_run_settings(cd_loaded_model* mechanism, const cd_model_instance* c, cardan_run_settings* run);

// Check that the accelerations at the start are finite and unique. A singular start configuration is an error, or a
// warning if formulation and integrator can start there.
cardan_status cd_run_check_start(cd_model_instance* c, int integrator, bool prescribed, cardan_report* report);

// Exit code of a run that ended with `status`. CARDAN_SINGULAR and CARDAN_INCONSISTENT are errors of the input before
// the first sample, numerical failures after it.
int cd_run_exit_code(cardan_status status, const cardan_run_summary* summary);

// Raise *position [m, rad] and *velocity [m/s, rad/s] to the largest constraint violations at the state of `data`.
void cd_max_constraint_violation(cardan_data* data, double* position, double* velocity);
// Warn if the start values violate the constraints by more than 1e-6.
void cd_warn_start_violation(double position, double velocity, cardan_report* report);

// Warn if a joint coordinate starts outside its limits.
void cd_warn_start_beyond_limits(const cd_model_instance* c, cardan_report* report);

// Snapshots: poses of all bodies at several times.
typedef struct cd_snapshots {
    int           nbody, count, count_max;
    double        start, spacing; // [s] a snapshot every `spacing` from `start` on
    double        last_time;      // [s] time of the last snapshot
    cardan_pose** body_pose;      // (count)(nbody)
    bool          failed;
    const char*   caption; // text next to the title; NULL: the times
} cd_snapshots;

// Prepare at most `count_max` snapshots, equally spaced from start to end.
void cd_snapshots_begin(cd_snapshots* snapshots, int nbody, int count_max, double start, double end);
// Store the poses at the state of `data` if a snapshot is due at time t.
void cd_snapshots_add(cd_snapshots* snapshots, const cardan_description_view* view, cardan_data* data, double t);
void cd_snapshots_free(cd_snapshots* snapshots);

// Write the mechanism as SVG: at the snapshots, or in the design configuration if there are none. Returns the exit
// code.
int cd_write_mechanism_svg(const cd_loaded_model* mechanism, const cd_snapshots* snapshots, const char* path,
                           bool force);
