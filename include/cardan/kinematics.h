// SPDX-License-Identifier: BSD-3-Clause
// Motion that is given: by drivers that leave nothing free, and what motors must exert for a motion.
#pragma once

#include <cardan/simulate.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Degrees of freedom at the state set: motions that the constraints allow at first order, counted up to `most`.
/// `motion` (nv) receives the velocities of one of them, zeros where there are none; it may be NULL. Allocates while it
/// works.
cardan_status cardan_degrees_of_freedom(cardan_data* data, int max_count, int* count, double* motion,
                                        cardan_report* report);

/// The laws of driver `driver` from outside: value, rate and acceleration, in place of the model's, from the next state
/// set on. NULL: the model's again. Of a marker's way along a curve: its parameter. CARDAN_BAD_USAGE where there is no
/// such driver, or a number is not finite: the law stays.
cardan_status cardan_data_set_driver(cardan_data* data, int driver, const double value[3]);

/// Kinematic analysis: the motion that the drivers prescribe completely, at the times of rows of `run` (start, end,
/// output, stop; q, v, state and callbacks as for cardan_simulate; integrator and stabilization do not count).
/// Positions by Newton's method from those before, velocities and accelerations exactly. At a row `data` is solved:
/// driver efforts and reactions are those of inverse dynamics. Work is what the energy says. Allocates before the first
/// row only. Freedom left is CARDAN_BAD_INPUT, the sentence names a joint that can move; where drivers ask for what the
/// mechanism cannot do, CARDAN_NOT_CONVERGED or CARDAN_INCONSISTENT: the sentence names driver and time, and the rows
/// before it have been given.
cardan_status cardan_kinematic_analysis(cardan_data* data, const cardan_run* run, cardan_summary* summary,
                                        cardan_report* report);

/// A motor: an effort along a coordinate of a joint of the model, in place of actuators that the model has there.
typedef struct cardan_motor {
    int joint, axis;
} cardan_motor;

typedef struct cardan_motors cardan_motors;

/// Memory for inverse dynamics of `data` with these motors; what they refer to stays the caller's.
cardan_status cardan_motors_create(cardan_data* data, int nmotor, const cardan_motor* motor, cardan_motors** motors,
                                   cardan_report* report);
void          cardan_motors_destroy(cardan_motors* motors);

/// Inverse dynamics with loops: efforts (nmotor) of the motors that, beside the model's own forces and what is loaded,
/// produce the accelerations `a` (nv) at the state set. Of several sets the one of least norm (sum of squares, in N and
/// N m); `loose`: how many motors there are beyond those needed. `left`: largest acceleration, in the model's
/// velocities, that the motors cannot produce; zero where they suffice. `loose`, `left` and `report` may
/// be NULL. Never allocates.
cardan_status cardan_motor_efforts(cardan_motors* motors, const double* a, double* effort, int* redundant,
                                   double* residual, cardan_report* report);

/// These efforts as the load of the data, in place of any other, along joints of the tree and joints that close loops
/// alike. What cardan_accelerate and cardan_reactions then find is the motion under them.
cardan_status cardan_motors_apply(cardan_motors* motors, const double* effort);

#ifdef __cplusplus
}
#endif
