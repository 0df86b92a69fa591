// SPDX-License-Identifier: BSD-3-Clause
// Whether a run keeps its energy: E - E_start - W, relative to the largest kinetic energy when the run is over.
#pragma once

#include <cardan/dynamics.h>
#include <cardan/model.h>
#include <cardan/status.h>

typedef struct cd_energy_balance {
    double kinetic, stored, worked, imbalance; // [J] largest so far, of T, |V|, |W| and the balance
    double looked;                             // [s] when they were last taken
} cd_energy_balance;

void   cd_balance_keep(cd_energy_balance* balance, cardan_energies energy, double start, double work, double t);
double cd_balance_drift(const cd_energy_balance* balance, const cardan_model* m, double length); // [m] of the mechanism
// A warning: the energy of a run cannot be that of its mechanism, or drifts by more than the tolerance of an adaptive
// method explains (0: a fixed step).
void cd_balance_warn(const cd_energy_balance* balance, double drift, double tolerance, cardan_report* report);
// A note, where a run failed: it had drifted by too much before.
void cd_balance_note(double drift, bool adaptive, cardan_report* report);
