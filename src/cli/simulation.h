// SPDX-License-Identifier: BSD-3-Clause
// What commands that simulate share: the settings of a run, and poses gathered on the way for pictures.
#pragma once

#include "cli/mechanism.h"

#include <cardan/simulate.h>

// Settings from the options, else the file, else the defaults. What is wrong is told; returns the exit code.
int cd_run_settings(cd_mechanism* mechanism, const cd_case* c, cardan_run* run);

// Whether the start can be left at all: every motion is resisted there, and accelerations are finite.
// A singular pose is refused, or told, as what solves and integrates can.
cardan_status cd_run_can_start(cd_case* c, int integrator, bool prescribed, cardan_report* report);

// Exit code of a run that ended with `status`: what nothing resists at the start is wrong in the input, later it is
// numerical.
int cd_run_exit(cardan_status status, const cardan_summary* summary);

// Largest violation of the loops at the state of `data`, added to what is known: position [m, rad], velocity [per s].
void cd_loops_violation(cardan_data* data, double* open, double* slip);
// Warns where the start of a mechanism with loops does not fit them.
void cd_loops_warn(double open, double slip, cardan_report* report);

// Warns where a coordinate starts beyond its limits.
void cd_limits_warn(const cd_case* c, cardan_report* report);

// Poses of all bodies at some instants.
typedef struct cd_film {
    int           nbody, count, most;
    double        start, spacing; // [s] an instant every `spacing` from `start` on
    double        last;           // [s] time of the last instant
    cardan_pose** pose;           // (count)(nbody)
    bool          failed;
    const char*   caption; // beside the title; NULL: the times
} cd_film;

// `most` instants, spread evenly from start to end.
void cd_film_begin(cd_film* film, int nbody, int most, double start, double end);
// Keeps the poses at the state of `data` if an instant is due.
void cd_film_add(cd_film* film, const cardan_view* view, cardan_data* data, double t);
void cd_film_free(cd_film* film);

// The mechanism as SVG into the file: at the instants of the film, or in the design position if it has none. Exit code.
int cd_write_picture(const cd_mechanism* mechanism, const cd_film* film, const char* path, bool force);
