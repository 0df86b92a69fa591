// SPDX-License-Identifier: BSD-3-Clause
// What commands that simulate share: the settings of a run, and poses gathered on the way for pictures.
#pragma once

#include "cli/support/mechanism.h"

#include <cardan/simulate.h>

// Settings from the options, else the file, else the defaults. What is wrong is told; returns the exit code.
int cd_run_settings(cd_mechanism* mechanism, const cd_model_instance* c, cardan_run* run);

// Whether the start can be left at all: every motion is resisted there, and accelerations are finite.
// A singular pose is refused, or told, as what solves and integrates can.
cardan_status cd_run_check_start(cd_model_instance* c, int integrator, bool prescribed, cardan_report* report);

// Exit code of a run that ended with `status`: what nothing resists at the start is wrong in the input, later it is
// numerical.
int cd_run_exit_code(cardan_status status, const cardan_summary* summary);

// Largest violation of the loops at the state of `data`, added to what is known: position [m, rad], velocity [per s].
void cd_max_constraint_violation(cardan_data* data, double* position, double* velocity);
// Warns where the start of a mechanism with loops does not fit them.
void cd_warn_start_violation(double position, double velocity, cardan_report* report);

// Warns where a coordinate starts beyond its limits.
void cd_warn_start_beyond_limits(const cd_model_instance* c, cardan_report* report);

// Poses of all bodies at some instants.
typedef struct cd_snapshots {
    int           nbody, count, count_max;
    double        start, spacing; // [s] an instant every `spacing` from `start` on
    double        last_time;      // [s] time of the last instant
    cardan_pose** body_pose;      // (count)(nbody)
    bool          failed;
    const char*   caption; // beside the title; NULL: the times
} cd_snapshots;

// `most` instants, spread evenly from start to end.
void cd_snapshots_begin(cd_snapshots* snapshots, int nbody, int most, double start, double end);
// Keeps the poses at the state of `data` if an instant is due.
void cd_snapshots_add(cd_snapshots* snapshots, const cardan_view* view, cardan_data* data, double t);
void cd_snapshots_free(cd_snapshots* snapshots);

// The mechanism as SVG into the file: at the instants of the film, or in the design position if it has none. Exit code.
int cd_write_mechanism_svg(const cd_mechanism* mechanism, const cd_snapshots* snapshots, const char* path, bool force);
