// SPDX-License-Identifier: BSD-3-Clause
// Energy error of a run: E - E_start - W, relative to the largest kinetic energy at the end.
#pragma once

#include <cardan/dynamics.h>
#include <cardan/model.h>
#include <cardan/status.h>

typedef struct cd_energy_monitor {
    double kinetic_max, potential_max, work_max, error_max; // [J] running maxima of T, |V|, |W| and |error|
    double last_t;                                          // [s] last update
    // [J] last error, largest change of the error between updates; [s] interval of that change
    double last_error, change_max, change_start, change_end;
} cd_energy_monitor;

void cd_energy_monitor_update(cd_energy_monitor* monitor, cardan_energies energy, double start, double work, double t);
// Largest error relative to the largest kinetic energy; length [m]: length scale of the mechanism.
double cd_energy_monitor_relative_error(const cd_energy_monitor* monitor, const cardan_model* m, double length);
// Report an error if an adaptive method has lost the energy of its mechanism; warn if a fixed-step method (tolerance
// 0) has such an error, or if it is larger than the tolerance explains.
cardan_status cd_report_energy_error(const cd_energy_monitor* monitor, double relative_error, double tolerance,
                                     cardan_report* report);
// Note for a failed run that its energy error was large before.
void cd_note_energy_error(double relative_error, bool adaptive, cardan_report* report);
