// SPDX-License-Identifier: BSD-3-Clause
// Inputs that act on a mechanism while it is simulated: a grabbed point, joints driven by the caller.
#pragma once

#include <cardan/dynamics.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/// Compute the mobility W (3 x 3, row major, symmetric) of a point of a body at the current state: an impulse p [N s] on
/// it changes its velocity by W p, constraints included. `point` is in the body frame, W [1/kg] in world axes. Losses of
/// gears that depend on their load are not included. Approximate formulations give an approximate W. Returns
/// CARDAN_BAD_USAGE for invalid arguments, else the status of cardan_data_accelerate if no solution exists.
cardan_status cardan_point_mobility(cardan_data* data, int body, const double point[3], double W[9],
                                    cardan_report* report);

/// A grab: spring and damper between a point of a body and a target. Its force is k (target - p) + c (target_rate - p'),
/// bounded smoothly by max_force. It acts in all evaluations like a force element: accelerations, derivatives, reactions
/// and power include it. Its work is external work.
typedef struct cardan_grab {
    int    body;
    double point[3];       // in the body frame [m]
    double target[3];      // world axes, at the time of the data [m]
    double target_rate[3]; // the target moves on at this rate [m/s]
    double stiffness;      // k [N/m]; 0: m w^2 with w = 2 pi 2.5 rad/s and 1/m the largest eigenvalue of the mobility
    double damping;        // c [N s/m]; 0: 2 sqrt(k m), critical damping
    double max_force;      // [N]; 0: 20 times the weight of all bodies; INFINITY: no bound
    int    slot;           // 0 to CARDAN_GRABS_MAX - 1: several grabs act at the same time
} cardan_grab;

enum { CARDAN_GRABS_MAX = 8 };

/// Set the grab of a slot; it replaces the one before. NULL: release all. Values of 0 are chosen at the current state. Without
/// gravity, weights are those in standard gravity. If the point cannot move, m is the mass of all bodies. Returns
/// CARDAN_BAD_USAGE, without a change, if an argument is not valid; else, without a change, the status of
/// cardan_point_mobility.
cardan_status cardan_data_grab(cardan_data* data, const cardan_grab* grab, cardan_report* report);
/// Release the grab of a slot. Does nothing if there is none.
cardan_status cardan_data_release_grab(cardan_data* data, int slot, cardan_report* report);

/// Compute the force of the grab of a slot on the body and the point where it acts, in world axes; each may be NULL. Zeros if
/// nothing is grabbed.
cardan_status cardan_data_grab_force(cardan_data* data, int slot, double force[3], double point[3]);
/// Get the grab with the values that were chosen. Returns false, without a change, if nothing is grabbed.
bool cardan_data_get_grab(const cardan_data* data, int slot, cardan_grab* grab);

/// Make a coordinate of a joint drivable, before the model is compiled: cardan_data_drive_joint can then drive it. It has
/// a driver that is disabled until then. `axis`: index of its velocity. `joint` CARDAN_NONE: all joints of one
/// coordinate without a driver; `axis` is then 0. Drivable joints are not saved. Returns CARDAN_BAD_USAGE if the
/// coordinate does not exist, has a driver, or cannot have one (rotations of spherical and free joints).
cardan_status cardan_description_make_drivable(cardan_description* description, int joint, int axis,
                                               cardan_report* report);

/// Drive a drivable coordinate to `value` [m, rad], from the current time on. The coordinate starts at its value and
/// rate and follows the value by a critically damped filter of third order with a time constant of 40 ms: its value,
/// rate and acceleration are continuous if the value changes. Drivers that contradict constraints fail like those of
/// the model. Efforts: cardan_data_driver_efforts.
cardan_status cardan_data_drive_joint(cardan_data* data, int joint, int axis, double value, cardan_report* report);
/// Release the coordinate: it moves freely again. Does nothing if it is not driven.
cardan_status cardan_data_release_joint(cardan_data* data, int joint, int axis, cardan_report* report);

/// Number of changes by cardan_data_set_external_forces, cardan_data_grab, cardan_data_release_grab, cardan_data_set_driver,
/// cardan_data_drive_joint and cardan_data_release_joint. An integrator that holds results beyond the current time
/// discards them if this number changes.
unsigned long cardan_data_input_revision(const cardan_data* data);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
