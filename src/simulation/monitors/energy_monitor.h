// SPDX-License-Identifier: BSD-3-Clause
// Whether a run keeps its energy: E - E_start - W, relative to the largest kinetic energy when the run is over.
#pragma once

#include <cardan/dynamics.h>
#include <cardan/model.h>
#include <cardan/status.h>

typedef struct cd_energy_monitor {
    double kinetic_max, potential_max, work_max, error_max; // [J] largest so far, of T, |V|, |W| and the balance
    double last_t;                                          // [s] when they were last taken
    double last_error, change_max, change_start,
        change_end; // [J] the balance then; its largest change from one look to the next, [s] and when
} cd_energy_monitor;

void cd_energy_monitor_update(cd_energy_monitor* balance, cardan_energies energy, double start, double work, double t);
double cd_energy_monitor_relative_error(const cd_energy_monitor* balance, const cardan_model* m,
                                        double length); // [m] of the mechanism
// An error where an adaptive method has lost the energy of its mechanism; a warning where a fixed step (tolerance 0)
// drifts that far, or more than the tolerance explains.
cardan_status cd_report_energy_error(const cd_energy_monitor* balance, double relative_error, double tolerance,
                                     cardan_report* report);
// A note, where a run failed: it had drifted by too much before.
void cd_note_energy_error(double relative_error, bool adaptive, cardan_report* report);
