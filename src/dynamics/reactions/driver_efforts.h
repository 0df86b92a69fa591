// SPDX-License-Identifier: BSD-3-Clause
// Efforts of drivers (driver_efforts.c).
#pragma once

#include "dynamics/data.h"

// Power of the drivers [W], at the state solved last.
double cd_driver_power(const cardan_data* d);
// cd_row_is_torque: whether the multiplier of a row is a torque, that is the row constrains rotations only.
// cd_driver_of_row: driver function of a row, or -1.
bool cd_row_is_torque(const cd_constraint* c, int row);
int  cd_driver_of_row(const cd_constraint* c, int row);
// Effort of the driver of a driven row at multipliers lambda.
double cd_driver_effort(const cardan_data* d, int constraint, int row, const double* lambda);
// Accelerations (nv) caused by the accelerations of the driver functions alone, at zero velocities. Returns false if
// there are none.
bool cd_driver_accelerations(cardan_data* d, double* a);
// Whether the drivers are at standstill: all rates are zero, and all accelerations too if with_accelerations.
bool cd_drivers_are_at_standstill(cardan_data* d, bool with_accelerations);
