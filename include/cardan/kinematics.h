// SPDX-License-Identifier: BSD-3-Clause
// Prescribed motion: kinematic analysis with drivers that prescribe all degrees of freedom, and inverse dynamics of
// loops: the motor efforts for given accelerations.
#pragma once

#include <cardan/simulate.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/// Count the degrees of freedom at the current state: motions that satisfy J v = 0, up to `max_count`. `motion` (nv)
/// receives the velocities of one of them, zeros if there are none; it may be NULL. Allocates.
cardan_status cardan_data_degrees_of_freedom(cardan_data* data, int max_count, int* count, double* motion,
                                             cardan_report* report);

/// Replace the function of driver `driver` by value, rate and acceleration, from the next cardan_data_set_state on.
/// NULL: restore the function of the model. For a marker that follows a curve the value is the curve parameter. Returns
/// CARDAN_BAD_USAGE, without a change, if the driver does not exist, belongs to a drivable coordinate
/// (cardan_data_drive_joint), or a number is not finite.
cardan_status cardan_data_set_driver(cardan_data* data, int driver, const double value[3]);

/// Kinematic analysis: compute the motion that the drivers prescribe completely, at the sample times of `run` (start,
/// end, output_interval, stop; q, v, state and callbacks as in cardan_simulate; integrator and stabilization are
/// ignored). Positions by Newton's method from those before, velocities and accelerations by linear equations. At each
/// sample the accelerations of `data` are solved: driver efforts and reactions are those of inverse dynamics. The work
/// is the change of energy. Allocates only before the first sample. Returns CARDAN_BAD_INPUT if a degree of freedom is
/// not driven; the message names a joint that can move. Returns CARDAN_NOT_CONVERGED or CARDAN_INCONSISTENT if drivers
/// demand an impossible configuration; the message names driver and time, and all samples before it have been
/// delivered.
cardan_status cardan_kinematic_analysis(cardan_data* data, const cardan_run_settings* run, cardan_run_summary* summary,
                                        cardan_report* report);

/// A motor: an effort along a joint coordinate. It replaces the actuators of the model along that coordinate.
typedef struct cardan_motor {
    int joint, axis;
} cardan_motor;

typedef struct cardan_motors cardan_motors;

/// Create the memory for inverse dynamics of `data` with these motors. `data` must outlive it.
cardan_status cardan_motors_create(cardan_data* data, int nmotor, const cardan_motor* motor, cardan_motors** motors,
                                   cardan_report* report);
void          cardan_motors_destroy(cardan_motors* motors);

/// Inverse dynamics with loops: compute the motor efforts (nmotor) that produce, together with the forces of the model
/// and the external forces, the accelerations `a` (nv) at the current state. If they are not unique: those of least
/// norm (sum of squares, in N and N m). `redundant`: number of motors beyond those needed. `residual`: largest
/// acceleration, in the velocities of the model, that the motors cannot produce; zero if they suffice. `redundant`,
/// `residual` and `report` may be NULL. Never allocates.
cardan_status cardan_motors_efforts(cardan_motors* motors, const double* a, double* effort, int* redundant,
                                    double* residual, cardan_report* report);

/// Set these efforts as the external forces of the data, along joints of the tree and cut joints alike; others are
/// removed. cardan_data_accelerate and cardan_data_reactions then compute the motion under them.
cardan_status cardan_motors_apply(cardan_motors* motors, const double* effort);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
