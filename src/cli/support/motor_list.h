// SPDX-License-Identifier: BSD-3-Clause
// Motors of `cardan inverse`: the joint axes that they act on, and inverse dynamics of a recorded motion.
#pragma once

#include "cli/support/loaded_model.h"

#include <cardan/kinematics.h>

typedef struct cd_motor_list {
    int           nmotor;
    cardan_motor* motor; // (nmotor)
} cd_motor_list;

// Motors of the option --motors, else the joints with actuators in the model. Prints errors; returns the exit code.
int  cd_motor_list_select(const cd_loaded_model* mechanism, const cd_model_instance* c, cd_motor_list* list);
void cd_motor_list_free(cd_motor_list* list);
// Fail because the motors cannot produce the accelerations; `residual` [m/s^2, rad/s^2] is the residual acceleration.
cardan_status cd_fail_too_few_motors(const cd_model_instance* c, double t, double residual, cardan_report* report);

// Compute the efforts of the motors along the motion of --motion; write CSV and curves. Returns the exit code.
int cd_inverse_motion(cd_loaded_model* mechanism, int formulation);
