// SPDX-License-Identifier: BSD-3-Clause
// Whether a run keeps its energy: E - E_start - W, relative to the largest kinetic energy when the run is over.
#pragma once

#include <cardan/dynamics.h>
#include <cardan/model.h>
#include <cardan/status.h>

typedef struct cd_energy_balance {
    double kinetic, stored, worked, imbalance; // [J] largest so far, of T, |V|, |W| and the balance
    double looked;                             // [s] when they were last taken
    double last, lost, from, to; // [J] the balance then; its largest change from one look to the next, [s] and when
} cd_energy_balance;

void   cd_balance_keep(cd_energy_balance* balance, cardan_energies energy, double start, double work, double t);
double cd_balance_drift(const cd_energy_balance* balance, const cardan_model* m, double length); // [m] of the mechanism
// An error where an adaptive method has lost the energy of its mechanism; a warning where a fixed step (tolerance 0)
// drifts that far, or more than the tolerance explains.
cardan_status cd_balance_tell(const cd_energy_balance* balance, double drift, double tolerance, cardan_report* report);
// A note, where a run failed: it had drifted by too much before.
void cd_balance_note(double drift, bool adaptive, cardan_report* report);
