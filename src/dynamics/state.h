// SPDX-License-Identifier: BSD-3-Clause
// State of the data and its caches (state.c).
#pragma once

#include "dynamics/data.h"

// Set the state without the checks of cardan_data_set_state. Integrator stages and searches may try states that are
// not finite; the failure is detected later, by cd_accelerate_robust.
cardan_status cd_data_set_state(cardan_data* data, double t, const double* q, const double* v, const double* state);
// Compute world poses and velocities if they are stale.
void cd_update_world(cardan_data* d);
// Reset the winding numbers of all joints and constraints to the start of the model.
void cd_reset_winding_numbers(cardan_data* d);
// Set the state; keep all cached quantities if it equals the current state.
cardan_status cd_data_set_state_if_changed(cardan_data* d, double t, const double* q, const double* v,
                                           const double* state);
// Set time and user states only and invalidate all cached quantities.
void cd_data_set_time(cardan_data* d, double t, const double* state);
// Set new velocities at the same position.
void cd_data_set_velocity(cardan_data* d, const double* v);
// Invalidate everything computed from the rows, after the rows changed at the same state.
void cd_invalidate_rows(cardan_data* d);
