// SPDX-License-Identifier: BSD-3-Clause
// Motors of `cardan inverse`: which joints they act on, and a recorded motion that they must produce.
#pragma once

#include "cli/support/mechanism.h"

#include <cardan/kinematics.h>

typedef struct cd_motor_list {
    int           nmotor;
    cardan_motor* motor; // (n)
} cd_motor_list;

// --motors, else the joints that actuators of the model act on. What is wrong is told; returns the exit code.
int  cd_motor_list_select(const cd_mechanism* mechanism, const cd_model_instance* c, cd_motor_list* list);
void cd_motor_list_free(cd_motor_list* list);
// The sentence where motors cannot produce the accelerations: `left` remain.
cardan_status cd_fail_too_few_motors(const cd_model_instance* c, double t, double residual, cardan_report* report);

// Efforts of the motors over the motion of --motion, as CSV and curves; returns the exit code.
int cd_inverse_motion(cd_mechanism* mechanism, int formulation);
