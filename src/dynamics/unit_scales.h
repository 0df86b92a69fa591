// SPDX-License-Identifier: BSD-3-Clause
// Length scale and units of a mechanism (unit_scales.c).
#pragma once

#include "dynamics/data.h"

// [m] Half the largest extent of joints and mass centres in the design configuration; a radius of gyration if these
// coincide; 1 if no body has one.
double cd_design_length(const cardan_model* m);
// [m] Largest arm of a link or of a constraint end. If all arms are round-off: 1 m, clamped to [1, 10] times the design
// length.
double cd_compute_length_scale(const cardan_data* d);
// Infinity norm of x (nv) in units of the velocities: rad, and length_unit for translations.
double cd_velocity_norm_inf(const cardan_data* d, const double* x);
void   cd_update_velocity_unit_inverse(cardan_data* d);
void   cd_update_row_unit_inverse(cardan_data* d);
// Infinity norm of n values in units of their rows, from row `first` on.
double cd_row_norm_inf(const cardan_data* d, int first, int n, const double* x);
