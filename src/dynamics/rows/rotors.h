// SPDX-License-Identifier: BSD-3-Clause
// Rotors of off-tree joints (rotors.c).
#pragma once

#include "dynamics/data.h"

// Rotors of off-tree joints: lay out their rows behind the constraint rows; add their inertia forces to effort (a
// NULL: zero) and their inertia to M (both triangles); compute their kinetic energy.
void   cd_rotor_rows_layout(cd_arena* arena, cardan_data* d);
void   cd_add_rotor_efforts(cardan_data* d, const double* a, double* effort);
void   cd_add_rotor_inertia(cardan_data* d, double* M);
double cd_rotor_energy(cardan_data* d);
